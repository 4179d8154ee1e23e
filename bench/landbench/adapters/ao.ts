// ao as its users run it: the built command in a HOME of its own, sessions in tmux, the local forge and the train.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { State } from '../log.ts'
import { type Feature, GIT_ENV } from '../workload.ts'
import type { Adapter, Day, Pull } from './adapter.ts'
import { endProcesses, processesOf, weighProcesses } from './processes.ts'
import { fillForAWhile, mountSmallDisk, unmountSmallDisk } from './small-disk.ts'

const BENCH = join(import.meta.dirname, '..')
const AO = join(BENCH, '..', '..', 'dist', 'ao.js')
const LIMIT_MS = 120_000

const STATES: Readonly<Record<string, State>> = {
  merged: 'landed',
  needs_input: 'person',
  stuck: 'person',
  errored: 'person',
  spawning: 'working',
  working: 'working',
  killed: 'ended',
  terminated: 'ended',
  done: 'ended',
}

interface ListedPull {
  number: number
  session: string | null
  state: string
  headSha: string
  ci: string
  review: string
}

export const ao: Adapter = (day) => {
  const home = join(day.directory, 'home')
  const data = join(home, '.agent-orchestrator')
  const sessions = new Map<string, string>()
  const featureOf = (session: string | null) => [...sessions].find(([, id]) => id === session)?.[0]
  const env = environment(home)
  const run = (args: string[], input?: string) => runProgram(day.repo, env, args, input)
  const ok = async (args: string[]) => {
    const done = await run(args)
    if (done.code !== 0) throw new Error(`ao ${args.join(' ')} exited with ${done.code}\n${done.output}`)
    return done.output
  }
  const json = async <T>(args: string[]) => JSON.parse(await ok([...args, '--json'])) as T
  const startLoop = () => {
    const log = openSync(join(day.directory, 'ao.log'), 'a')
    spawn(process.execPath, [AO, 'start', '--foreground', '--no-restore'], {
      cwd: day.repo,
      env,
      stdio: ['ignore', log, log],
    })
  }
  const listPulls = async () => {
    const { pullRequests } = await json<{ pullRequests: ListedPull[] }>(['pr', 'ls', '--all'])
    return pullRequests.sort((a, b) => a.number - b.number)
  }
  const isAgent = (command: string) => command.includes('agent.ts')

  return {
    publish: { first: 'gh pr create --fill', again: '' },
    async start() {
      mkdirSync(join(home, '.tmux'), { recursive: true, mode: 0o700 })
      if (day.needsSmallDisk) mountSmallDisk(data)
      writeFileSync(join(day.repo, 'agent-orchestrator.yaml'), configuration(day))
      writeFileSync(join(day.repo, '.git', 'info', 'exclude'), 'agent-orchestrator.yaml\n')
      await ok(['config', 'trust', '--yes'])
      startLoop()
    },
    async begin(feature: Feature) {
      const { session } = await json<{ session: { id: string } }>(['spawn', '--prompt', `landbench: ${feature.id}`])
      sessions.set(feature.id, session.id)
    },
    async pulls() {
      return (await listPulls()).flatMap(({ session, state, headSha: head, ci, review }): Pull[] => {
        const feature = featureOf(session)
        if (feature === undefined || state !== 'open') return []
        return [{ feature, head, needsReview: ci === 'passing' && review !== 'approved' }]
      })
    },
    async approve({ feature, head }) {
      const pull = (await listPulls()).find((one) => one.session === sessions.get(feature))
      // Refused when something was pushed in between; then it is read again.
      await run(['pr', 'review', String(pull?.number), '--approve', '--head', head])
    },
    async hold(isHeld) {
      await ok(['land', isHeld ? 'pause' : 'resume'])
    },
    async states() {
      const listed = await json<{ sessions: Array<{ id: string; status: string }> }>(['session', 'ls', '--all'])
      const needs = needsOf((await run(['next', '--json'])).output)
      return listed.sessions.flatMap(({ id, status }) => {
        const feature = featureOf(id)
        if (feature === undefined) return []
        const state = STATES[status] ?? 'waiting'
        return [{ feature, state: needs.has(id) && state === 'waiting' ? 'person' : state, shows: status }]
      })
    },
    async send(feature, message) {
      return (await run(['send', sessions.get(feature)!, '--file', '-'], message)).code === 0
    },
    async strike(how) {
      if (how === 'disk') return fillForAWhile(data)
      if (how === 'machine') await endProcesses(home, () => true)
      else await endProcesses(home, (command) => command.includes(`${AO} start`))
      startLoop()
      if (how === 'machine') for (const id of sessions.values()) await run(['session', 'restore', id])
    },
    async stop() {
      await run(['stop'])
      spawnSync('tmux', ['-L', 'ao', 'kill-server'], { env, stdio: 'ignore' })
      await endProcesses(home, () => true)
      if (day.needsSmallDisk) unmountSmallDisk(data)
    },
    weigh: () => ({ ...weighProcesses(processesOf(home).filter(({ command }) => !isAgent(command))), requests: 0 }),
  }
}

/** Not waited for in one piece: the base branch is watched meanwhile. */
async function runProgram(cwd: string, env: NodeJS.ProcessEnv, args: string[], input = '') {
  const child = spawn(process.execPath, [AO, ...args], {
    cwd,
    env,
    timeout: LIMIT_MS,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  return { output, code: code as number | null }
}

function environment(home: string): NodeJS.ProcessEnv {
  return {
    ...GIT_ENV,
    HOME: home,
    // The real path of the interpreter first: agents and checks use the one that runs the bench.
    PATH: `${join(process.execPath, '..')}:${process.env.PATH}`,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    SHELL: '/bin/sh',
    TMUX_TMPDIR: join(home, '.tmux'),
    AO_PORT: '0',
    AO_NO_UPDATE_NOTIFIER: '1',
  }
}

/** Stated with the results: everything that is not ao's default. */
function configuration(day: Day): string {
  const node = process.execPath
  const command = JSON.stringify([node, join(BENCH, 'agent.ts'), day.workloadPath, '{promptFile}'])
  const check = `${node} ${join(BENCH, 'check.ts')} ${day.workloadPath} ci`
  const ci = day.hasChecks ? `, ci: { commands: [{ name: check, run: ${JSON.stringify(check)} }] }` : ''
  const resolve = day.options.resolve === 'additions' ? "[{ kind: additions, paths: ['*'] }]" : '[]'
  return `lifecycle: { pollSeconds: 2 }
defaults: { runtime: ${day.options.runtime ?? 'tmux'}, notifiers: [] }
projects:
  app:
    path: .
    agent: generic
    agentConfig: { command: ${command} }
    scm: { plugin: local${ci} }
    landing: { mode: train, order: ${day.options.order ?? 'safe'}, resolve: ${resolve} }
    reactions:
      landing-failed: { escalateAfter: 1m }
      merge-conflicts: { escalateAfter: 1m }
`
}

/** Sessions that `ao next` asks a person about. */
function needsOf(output: string): Set<string> {
  if (output === '') return new Set()
  const { items } = JSON.parse(output) as { items: Array<{ sessions: Array<{ id: string }> }> }
  return new Set(items.flatMap(({ sessions }) => sessions.map(({ id }) => id)))
}
