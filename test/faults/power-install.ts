// The first minutes of agh: a configuration is made from what is installed, and a session begun, with the power cut in between.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testProgram } from '../support/test-program.ts'
import { type AghScene, createAgh } from './power-agh.ts'
import type { Life, Seen } from './power-loss.ts'
import { message, wording } from './power-next.ts'

const FILES: Array<[name: string, end: RegExp]> = [
  ['config.toml', /"30m"\n$/],
  ['agents/claude/AGENT.md', /^---\n.*claude-agent-acp.*\n---\n$/s],
  ['agents/general/AGENT.md', /^---\n.*claude-agent-acp.*\n---\n$/s],
]

export const INSTALL_LIFE: Life<AghScene> = {
  name: 'the installation of agh',
  async create(at) {
    const agh = await createAgh(at)
    rmSync(join(agh.home, '.agh'), { recursive: true, force: true })
    const programs = join(agh.home, 'programs')
    mkdirSync(programs, { recursive: true })
    const script = `#!/bin/sh\nexec '${process.execPath}' '${testProgram('acp-agent')}'\n`
    writeFileSync(join(programs, 'claude-agent-acp'), script, { mode: 0o755 })
    Object.assign(agh.env, { PATH: `${programs}:${agh.env.PATH}` })
    return agh
  },
  steps: [
    ['install', (agh, env) => agh.run(['install'], env)],
    ['install again', (agh, env) => agh.run(['install'], env)],
    ['new', (agh, env) => agh.run(['session', 'new', '--name', 'work'], env)],
    ['prompt', (agh, env) => agh.run(['session', 'prompt', 'work', 'say the first answer'], env)],
  ],
  async *check(agh, seen) {
    const { done, random, ask } = seen
    const first = random.pick([['install'], ['agent', 'list'], ['doctor', '--fix'], ['session', 'list', '--all']])
    const answer = await ask(first)
    yield* wording(first, answer)
    if (done.has('install')) yield* complete(agh)
    for (const args of [['install'], ['session', 'new', '--name', 'next'], ['session', 'prompt', 'next', 'say hello']])
      yield* succeeds(seen, args)
    yield* complete(agh)
    if (!done.has('prompt')) return
    const history = await ask(['session', 'history', 'work'])
    if (!/first answer/.test(history.stdout)) yield message(['session', 'history'], history)
  },
}

async function* succeeds({ ask }: Seen, args: string[]): AsyncGenerator<string> {
  const answer = await ask(args)
  if (answer.exitCode !== 0) yield message(args, answer)
}

function* complete({ home }: AghScene): Generator<string> {
  for (const [name, end] of FILES) {
    const file = join(home, '.agh', name)
    const text = existsSync(file) ? readFileSync(file, 'utf8') : null
    if (text === null || !end.test(text)) yield `${name} is ${JSON.stringify(text)}`
  }
}
