// The four flows, each recorded once in a HOME of its own, with the demo agent, tmux, and the tracker and forge without a server.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { callDaemon } from '../support/call-agh.ts'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { countWalk, type Walk } from './count-walk.ts'
import { ROOT } from './instrument.ts'
import type { Operation, Step } from './recorder.ts'

export const FLOWS = {
  spawn: 'ao spawn 1, from the command line to the agent in its terminal',
  tick: 'one tick that finds CI red, until the agent has its message',
  prompt: 'agh session prompt, client and daemon, until the turn is over',
  approve: 'an answer on the page, from its request to its response',
} as const
export type Flow = keyof typeof FLOWS

const CONFIG = `defaults: { runtime: tmux, notifiers: [] }
projects:
  app:
    path: .
    agent: demo
    tracker: local
    scm: { plugin: local, ci: { commands: [{ name: test, run: 'grep -q 42 answer' }] } }
`
const SCRIPT = [
  ...['permission write the answer', 'write answer 41', 'commit a guess', 'pr The answer', 'finish done'],
  ...['on ci-failed:', 'finish heard'],
]

export async function recordFlows(): Promise<Record<Flow, Walk>> {
  buildAo()
  const world = createAoWorld({ config: CONFIG })
  try {
    // A check that fails on the base branch, too, is not the agent's to repair.
    writeFileSync(join(world.repo, 'answer'), '42\n')
    git(world.repo, world.temp.env, 'add', '-A')
    git(world.repo, world.temp.env, 'commit', '-qm', 'base')
    const [ofAo, prompt] = await Promise.all([recordAo(world), recordPrompt(world)])
    return { ...ofAo, prompt }
  } finally {
    await world.ao(['stop', '--sessions'])
    const strays = await world.temp.cleanup()
    if (strays.length > 0) console.warn(`still running at the end: ${strays.join(', ')}`)
  }
}

async function recordAo(world: AoWorld): Promise<Record<'spawn' | 'tick' | 'approve', Walk>> {
  const body = SCRIPT.map((line) => `demo: ${line}`).join('\n')
  await done(world, ['config', 'trust', '--yes'])
  await done(world, ['issue', 'new', 'The answer', '--body', body])
  const spawn = await record(world, 'src/cli/ao.ts', ['spawn', '1'])
  const driven = await record(world, 'test/walk/drive.ts', [join(world.repo, 'agent-orchestrator.yaml'), 'app-1'])
  return {
    spawn: countWalk(spawn[0]!.steps),
    approve: countWalk(untilEnd(find(driven, /^POST .*permission$/))),
    tick: countWalk(untilEnd(find(driven, /^tick$/))),
  }
}

/** The daemon hears its agent in the context of the request that started it: both requests are the flow. */
async function recordPrompt({ temp: { home, env } }: AoWorld): Promise<Walk> {
  const directory = join(home, '.agh')
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'config.toml'), '[http]\nport = 0\n')
  const world = { repo: home, temp: { env } }
  const ended = record(world, 'src/cli/agh.ts', ['daemon', 'start', '--foreground'])
  const socket = join(directory, 'daemon.sock')
  const daemon = await waitFor('the daemon', () => callDaemon<{ pid: number }>(socket, '/api/daemon/status'))
  const path = '/api/sessions'
  const body = { workspace_path: home }
  const { session } = await callDaemon<{ session: { id: string } }>(socket, path, { method: 'POST', body })
  const client = await record(world, 'src/cli/agh.ts', ['session', 'prompt', session.id, 'hello'])
  await callDaemon(socket, `${path}/${session.id}/stop`, { method: 'POST', body: {} })
  process.kill(daemon.pid, 'SIGTERM')
  const operations = await ended
  const started = find(operations, /^POST \/api\/sessions$/)
  const prompt = find(operations, /^POST .*\/prompt$/)
  const stop = find(operations, /^POST .*\/stop$/)
  const steps = [...started.steps, ...prompt.steps].filter(({ at }) => at > prompt.begins && at < stop.begins)
  return countWalk([...client[0]!.steps, ...steps.toSorted((a, b) => a.at - b.at)])
}

function untilEnd({ steps, ends }: Operation): Step[] {
  return steps.filter(({ at }) => ends === null || at < ends)
}

function find(operations: readonly Operation[], name: RegExp): Operation {
  const found = operations.find((one) => name.test(one.name))
  if (!found) throw new Error(`${name} was not recorded, only ${operations.map((one) => one.name).join(', ')}`)
  return found
}

interface Where {
  repo: string
  temp: { env: NodeJS.ProcessEnv }
}

let count = 0

async function record({ repo, temp }: Where, program: string, args: string[]): Promise<Operation[]> {
  const out = join(temp.env.HOME!, `walk-${count++}.json`)
  const recorder = join(import.meta.dirname, 'recorder.ts')
  const env = { ...temp.env, WALK_OUT: out, NODE_NO_WARNINGS: '1' }
  await promisify(execFile)(process.execPath, ['--import', recorder, join(ROOT, program), ...args], { cwd: repo, env })
  return JSON.parse(readFileSync(out, 'utf8')) as Operation[]
}

async function done(world: AoWorld, args: string[]): Promise<void> {
  const { code, stdout, stderr } = await world.ao(args)
  if (code !== 0) throw new Error(`ao ${args.join(' ')} failed: ${stdout}${stderr}`)
}
