// A person joins a running session with a real terminal, types, leaves, and the session continues.
import { spawnSync } from 'node:child_process'
import { type IPty, spawn } from '@lydell/node-pty'
import { afterEach, expect, it } from 'vitest'
import { sleep } from '../../src/lib/clock.ts'
import { waitFor } from '../support/wait-for.ts'
import type { RuntimeUnderTest, RuntimeWorld } from './runtime-world.ts'

interface Person {
  pty: IPty
  seen(): string
  isThere(): boolean
  ended: Promise<number>
}

export function testAttach(world: RuntimeWorld, subject: RuntimeUnderTest): void {
  const people: Person[] = []
  afterEach(() => {
    // Only who is still there: the pid of the others may be a stranger's by now.
    for (const person of people.splice(0)) if (person.isThere()) person.pty.kill('SIGKILL')
  })

  async function join(handle: Parameters<RuntimeWorld['runtime']['isAlive']>[0], size = { cols: 100, rows: 30 }) {
    const { command, environment } = await world.runtime.getAttachInfo!(handle)
    const env = { ...world.temp.env, ...environment } as Record<string, string>
    const pty = spawn(command[0]!, command.slice(1), { ...size, cwd: world.temp.home, env })
    return watch(pty, people)
  }

  /** Types the keys again until they are understood: on a busy machine tmux may take them for a paste. */
  async function leave(person: Person): Promise<number> {
    const gone = new AbortController()
    void person.ended.then(() => gone.abort())
    for (let n = 0; n < 10 && person.isThere(); n++) {
      person.pty.write(subject.detachKeys)
      await sleep(2000, { signal: gone.signal })
    }
    if (person.isThere()) throw new Error(`The person could not leave: ${person.seen().slice(-300)}`)
    return person.ended
  }

  it('S0.58 joins with the screen as it is, types, resizes and leaves', async () => {
    const tui = await world.startTui()
    await world.runtime.sendMessage(tui.handle, 'before anyone looked')
    const person = await join(tui.handle)
    await waitFor('the screen', () => person.seen().includes('1 submitted'))
    person.pty.write('typed by hand')
    await waitFor('the echo', () => person.seen().includes('typed by hand'))
    person.pty.resize(90, 20)
    person.pty.write('\r')
    expect(await tui.untilMessages(2)).toEqual(['before anyone looked', 'typed by hand'])
    expect(await leave(person), person.seen().slice(-300)).toBe(0)
    expect(await world.runtime.isAlive(tui.handle)).toBe(true)
    await world.runtime.sendMessage(tui.handle, 'after')
    expect(await tui.untilMessages(3)).toHaveLength(3)
  })

  it('S0.58 lets a person watch without typing', async () => {
    const tui = await world.startTui()
    const { readOnlyCommand, environment } = await world.runtime.getAttachInfo!(tui.handle)
    const env = { ...world.temp.env, ...environment } as Record<string, string>
    const pty = spawn(readOnlyCommand![0]!, readOnlyCommand!.slice(1), { cols: 100, rows: 30, env })
    const person = watch(pty, people)
    await waitFor('the screen', () => person.seen().includes('tui-echo ready'))
    pty.write('not for the agent\r')
    await world.runtime.sendMessage(tui.handle, 'by ao')
    expect(await tui.untilMessages(1)).toEqual(['by ao'])
    expect(await leave(person), person.seen().slice(-300)).toBe(0)
  })

  it.skipIf(subject.speaksAcp)('S0.58 gives the agent the size of the terminal that joined', async () => {
    const script = "trap 'stty size' WINCH; echo up; while :; do sleep 0.05; done"
    const handle = await world.start(['sh', '-c', script])
    await waitFor('the agent', async () => (await world.runtime.getOutput(handle)).includes('up'))
    const person = await join(handle, { cols: 77, rows: 22 })
    await waitFor('the width', async () => / 77\b/.test(await world.runtime.getOutput(handle)))
    person.pty.resize(66, 22)
    await waitFor('the new width', async () => / 66\b/.test(await world.runtime.getOutput(handle)))
  })

  it('S0.58 is unharmed by a person whose terminal vanishes', async () => {
    const tui = await world.startTui()
    const person = await join(tui.handle)
    await waitFor('the screen', () => person.seen().includes('tui-echo ready'))
    person.pty.kill('SIGKILL')
    await person.ended
    await world.runtime.sendMessage(tui.handle, 'still here')
    expect(await tui.untilMessages(1)).toEqual(['still here'])
  })

  it('S0.58 ends with the session', async () => {
    const tui = await world.startTui(['--exit-on=bye'])
    const person = await join(tui.handle)
    await waitFor('the screen', () => person.seen().includes('tui-echo ready'))
    await world.runtime.destroy(tui.handle)
    await person.ended
    expect(await world.runtime.isAlive(tui.handle)).toBe(false)
  })

  it("S0.58 joins from inside the user's own tmux", async () => {
    const tui = await world.startTui()
    const { command, environment } = await world.runtime.getAttachInfo!(tui.handle)
    const outer = (...args: string[]) =>
      spawnSync('tmux', ['-u', '-L', 'outer', '-f', '/dev/null', ...args], { env: world.temp.env, encoding: 'utf8' })
    const assignments = Object.entries(environment ?? {}).map(([name, value]) => `${name}=${value}`)
    outer('new-session', '-d', '-s', 'mine', '-x', '100', '-y', '30', '--', 'env', ...assignments, ...command)
    try {
      await waitFor('the screen inside', () => outer('capture-pane', '-p').stdout.includes('tui-echo ready'))
      outer('send-keys', '-l', 'through two terminals')
      outer('send-keys', 'Enter')
      expect(await tui.untilMessages(1)).toEqual(['through two terminals'])
    } finally {
      outer('kill-server')
    }
    expect(await world.runtime.isAlive(tui.handle)).toBe(true)
  })
}

function watch(pty: IPty, people: Person[]): Person {
  let text = ''
  let there = true
  pty.onData((data) => {
    text += data
  })
  const ended = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode }) => {
      there = false
      resolve(exitCode)
    })
  })
  const person = { pty, seen: () => text, isThere: () => there, ended }
  people.push(person)
  return person
}
