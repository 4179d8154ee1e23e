// What every runtime must do, whatever it is made of. Run against each of them in runtime-*.test.ts.
import { describe } from 'vitest'
import { testAttach } from './runtime-suite-attach.ts'
import { testCrash } from './runtime-suite-crash.ts'
import { testLife } from './runtime-suite-life.ts'
import { testSend } from './runtime-suite-send.ts'
import { testStop } from './runtime-suite-stop.ts'
import { testTerminal } from './runtime-suite-terminal.ts'
import { testWatch } from './runtime-suite-watch.ts'
import { type RuntimeUnderTest, useRuntimeWorld } from './runtime-world.ts'

export function describeRuntime(subject: RuntimeUnderTest): void {
  describe(`the runtime ${subject.plugin.manifest.name}`, () => {
    const world = useRuntimeWorld(subject)
    describe('life', () => testLife(world, subject))
    describe('messages', () => testSend(world))
    describe('stop', () => testStop(world, subject))
    describe('crash', () => testCrash(world, subject))
    describe('attach', () => testAttach(world, subject))
    describe('watch', () => testWatch(world))
    if (!subject.speaksAcp) describe('terminal', () => testTerminal(world))
  })
}
