// Commands of agh for `nth-failure.ts`. The daemon is started with the library, too: what it does for a command counts.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '../../src/lib/clock.ts'
import type { RunResult } from '../support/ao-home.ts'
import type { Command, Stage } from './nth-failure.ts'
import { type AghScene, createAgh } from './power-agh.ts'
import { message } from './power-next.ts'

export interface AghStage extends Stage {
  agh: AghScene
  sh(script: string): RunResult
  next(): number
}

export async function createAghStage(): Promise<AghStage> {
  const agh = await createAgh()
  let [count, followed]: [number, NodeJS.ProcessEnv] = [0, {}]
  const run: AghStage['run'] = (args, env = {}) => agh.run(args, { ...followed, ...env })
  return {
    agh,
    home: agh.home,
    run,
    sh: (script) => agh.sh(script, followed),
    ask: async (args) => run(args),
    next: () => ++count,
    follow(env) {
      followed = env
    },
    // Whatever is left of its sessions is found at the end.
    leaks: async () => [],
    async cleanup() {
      run(['daemon', 'stop'])
      for (const { id } of list({ run })) run(['session', 'stop', id])
      run(['daemon', 'stop'])
      return agh.cleanup()
    },
  }
}

interface Listed {
  id: string
  name: string
  state: string
}

function list({ run }: Pick<AghStage, 'run'>): Listed[] {
  const { stdout } = run(['session', 'list', '--all', '--json'])
  return stdout.startsWith('[') ? (JSON.parse(stdout) as Listed[]) : []
}

/** A session whose records cannot be written is ended, which takes its agent a moment. */
async function settledState(stage: AghStage, session: string): Promise<string | undefined> {
  const state = () => list(stage).find(({ id }) => id === session)?.state
  for (let rounds = 0; rounds < 100 && state() === 'stopping'; rounds++) await sleep(200)
  return state()
}

function active(stage: AghStage): string {
  const found = list(stage).find(({ state }) => state === 'active')
  if (found) return found.id
  const made = stage.run(['session', 'new', '--json'])
  return (JSON.parse(made.stdout) as { session: Listed }).session.id
}

function* again(stage: AghStage, args: string[], isDone = /^$/): Generator<string> {
  const answer = stage.run(args)
  if (answer.exitCode !== 0 && !isDone.test(`${answer.stdout}${answer.stderr}`))
    yield `repeated: ${message(args, answer)}`
}

export const AGH_COMMANDS: Array<Command<AghStage>> = [
  {
    name: 'agh session new',
    prepare: async (stage) => ['session', 'new', '--name', `session-${stage.next()}`],
    async *check(stage, answer, args) {
      const named = () => list(stage).filter(({ name }) => name === args[3])
      if (answer.exitCode === 0 && named()[0]?.state !== 'active') yield `it is ${named()[0]?.state ?? 'not there'}`
      const name = `session-${stage.next()}`
      yield* again(stage, ['session', 'new', '--name', name])
      for (const { id } of [...named(), ...list(stage).filter((one) => one.name === name)])
        yield* again(stage, ['session', 'stop', id], /is stopped/)
    },
  },
  {
    name: 'agh session prompt',
    prepare: async (stage) => ['session', 'prompt', active(stage), `say answer ${stage.next()}.`],
    async *check(stage, answer, args) {
      const history = stage.run(['session', 'history', args[2]!])
      if (history.exitCode !== 0) yield message(['history'], history)
      const times = history.stdout.split(args[3]!.slice('say '.length)).length - 1
      if (answer.exitCode === 0 && times !== 2) yield `the history has it ${times} times: ${history.stdout.slice(-500)}`
      const state = await settledState(stage, args[2]!)
      if (state === 'active') yield* again(stage, ['session', 'prompt', args[2]!, '--queue', 'say again'])
      else if (state !== 'stopped') yield `the session is ${state}`
    },
  },
  {
    name: 'agh session stop',
    prepare: async (stage) => ['session', 'stop', active(stage)],
    async *check(stage, answer, args) {
      const state = () => list(stage).find(({ id }) => id === args[2])?.state
      if (answer.exitCode === 0 && state() !== 'stopped') yield `it is ${state()}`
      yield* again(stage, args, /is stopped/)
      if (state() !== 'stopped') yield `repeated, it is ${state()}`
    },
  },
  {
    name: 'agh session resume',
    async prepare(stage) {
      const id = active(stage)
      stage.run(['session', 'prompt', id, `say answer ${stage.next()}.`])
      stage.run(['session', 'stop', id])
      return ['session', 'resume', id]
    },
    async *check(stage, answer, args) {
      const state = () => list(stage).find(({ id }) => id === args[2])?.state
      if (answer.exitCode === 0 && state() !== 'active') yield `it is ${state()}`
      yield* again(stage, args, /is active/)
      if (state() !== 'active') yield `repeated, it is ${state()}`
      yield* again(stage, ['session', 'prompt', args[2]!, 'say again'])
    },
  },
  {
    name: 'agh session approve',
    async prepare(stage) {
      const id = active(stage)
      const asking = join(stage.home, `asking-${stage.next()}`)
      stage.sh(
        `agh session prompt ${id} 'ask touch it' > ${asking} 2>&1 < /dev/null & until agh session status ${id} | grep -q ermission || ! kill -0 $!; do sleep 0.05; done`,
      )
      return ['session', 'approve', id, '-d', 'allow-once']
    },
    async *check(stage, answer, args) {
      const decided = () => stage.run(['session', 'events', args[2]!, '--type', 'permission']).stdout
      if (answer.exitCode === 0 && !/allow-once/.test(decided())) yield `nothing was decided: ${decided()}`
      await settledState(stage, args[2]!)
      yield* again(stage, args, /0 permission requests wait|is stopped/)
      yield* again(stage, ['session', 'prompt', args[2]!, '--queue', 'say again'], /is stopped/)
    },
  },
  {
    name: 'agh install',
    async prepare(stage) {
      rmSync(join(stage.home, NEW), { recursive: true, force: true })
      mkdirSync(join(stage.home, 'programs'), { recursive: true })
      writeFileSync(join(stage.home, 'programs', 'claude-agent-acp'), '#!/bin/sh\n', { mode: 0o755 })
      return ['install']
    },
    play: (stage, args, env) => stage.run(args, installing(stage, env)),
    async *check(stage, answer, args) {
      const isComplete = () => FILES.every((name) => isWhole(join(stage.home, NEW, name)))
      if (answer.exitCode === 0 && !isComplete()) yield 'what it wrote is not complete'
      const repeated = stage.run(args, installing(stage, {}))
      if (repeated.exitCode !== 0) yield `repeated: ${message(args, repeated)}`
      if (!isComplete()) yield 'repeated, what it wrote is not complete'
    },
  },
  {
    name: 'agh session list',
    async prepare(stage) {
      active(stage)
      return ['session', 'list']
    },
    async *check(stage, _answer: RunResult, args) {
      yield* again(stage, args)
    },
  },
]

/** Another home of agh, with a program on the PATH that is an agent's. */
const NEW = 'new'
const FILES = ['config.toml', 'agents/claude/AGENT.md', 'agents/general/AGENT.md']

function installing({ home, agh }: AghStage, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, AGH_HOME: join(home, NEW), PATH: `${join(home, 'programs')}:${agh.env.PATH}` }
}

function isWhole(file: string): boolean {
  return existsSync(file) && /supervision\]\n.*"30m"\n$|\n---\n$/.test(readFileSync(file, 'utf8'))
}

/** What a failure ended is there again for the next. */
export function ensureDaemon({ run }: AghStage): void {
  if (run(['daemon', 'status']).exitCode === 0) return
  const started = run(['daemon', 'start'])
  if (started.exitCode !== 0) throw new Error(message(['daemon', 'start'], started))
}
