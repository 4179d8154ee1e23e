// One session of a real agent under `ao start`, with everything that ao reports about it and when.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { SendReceipt } from '../../../src/contract/session.ts'
import { type AghBeside, aghBeside } from '../../support/agh-daemon.ts'
import { git } from '../../support/git-repo.ts'
import { AO, type AoWorld, createAoWorld } from '../../support/run-ao.ts'
import { waitFor } from '../../support/wait-for.ts'
import { type ModelServer, type Step, startModelServer } from '../model/model-server.ts'
import type { TerminalAgent } from '../terminal-agents.ts'

export interface SeenState {
  at: number
  activity: string
  status: string
}

export interface Life {
  agent: TerminalAgent
  runtime: string
  world: AoWorld
  model: ModelServer
  env: NodeJS.ProcessEnv
  /** Every change of the session's record, with its time. */
  states: readonly SeenState[]
  worktree(session?: string): string
  /** Of the project `app`. */
  dataDir(): string
  ao(...args: string[]): ReturnType<AoWorld['ao']>
  send(text: string, ...flags: string[]): Promise<SendReceipt>
  /** The time at which the activity was first one of `wanted` at or after `since`. */
  stateSince(since: number, wanted: readonly string[], timeoutMs: number): Promise<number | null>
  /** The newest step whose newest user text contains these words. */
  stepWith(words: string, timeoutMs?: number): Promise<Step>
  now(): SeenState | undefined
  close(): Promise<string[]>
}

const POLL_MS = 20

export async function beginLife(agent: TerminalAgent, runtime: string, bin: string): Promise<Life> {
  const world = createAoWorld({ config: '' })
  const model = await startModelServer()
  const { home } = world.temp
  const env = { ...agent.env(model.url, home), PATH: `${bin}:${world.temp.env.PATH}` }
  const worktree = (session = 'app-1') => join(home, '.worktrees', session.split('-')[0]!, session)
  agent.prepare(model.url, home, [worktree(), worktree('ask-1')])
  const ofProject = (prefix: string, permissions: string) => ({
    path: '.',
    sessionPrefix: prefix,
    agent: agent.ao,
    agentConfig: { permissions, ...agent.config(bin), ...(runtime === 'acp' ? agent.acpConfig?.(bin) : {}) },
  })
  const projects = { app: ofProject('app', agent.permissions ?? 'skip'), ask: ofProject('ask', 'suggest') }
  writeFileSync(
    join(world.repo, 'agent-orchestrator.yaml'),
    stringify({ defaults: { runtime, notifiers: [] }, reactions: NO_REACTIONS, projects }),
  )
  git(world.repo, world.temp.env, 'add', '-A')
  git(world.repo, world.temp.env, 'commit', '-qm', 'configuration')
  const ao = (...args: string[]) => world.ao(args, { env, timeoutMs: 120_000 })
  const trusted = await ao('config', 'trust', '--yes')
  if (trusted.code !== 0) throw new Error(trusted.stderr)
  const beside: AghBeside | null = runtime === 'acp' ? aghBeside(home, { ...world.temp.env, ...env }) : null
  const loop = spawn(process.execPath, [AO, 'start', '--foreground', '--no-restore'], {
    cwd: world.repo,
    env: { ...world.temp.env, ...env },
    stdio: process.env.AO_REAL_LOG ? 'inherit' : 'ignore',
  })
  const states: SeenState[] = []
  const timer = setInterval(() => noteState(home, states), POLL_MS)
  const life: Life = {
    agent,
    runtime,
    world,
    model,
    env,
    states,
    worktree,
    dataDir: () => dataDirOf(home) ?? home,
    ao,
    async send(text, ...flags) {
      const how = { env, timeoutMs: 120_000, input: text }
      const answer = await world.json<{ receipt: SendReceipt }>(['send', 'app-1', ...flags, '--file', '-'], how)
      return answer.receipt ?? { messageId: '', level: 'undelivered', why: JSON.stringify(answer) }
    },
    async stateSince(since, wanted, timeoutMs) {
      const find = () => {
        const from = states.findLastIndex(({ at }) => at <= since)
        const found = states.slice(Math.max(0, from)).find(({ activity }) => wanted.includes(activity))
        return found ? Math.max(found.at, since) : null
      }
      return waitFor(wanted.join(' or '), find, timeoutMs).catch(() => null)
    },
    stepWith: (words, timeoutMs = 60_000) =>
      waitFor(
        `a request with ${words.slice(0, 60)}`,
        () => model.steps.findLast(({ userTexts }) => userTexts.some((text) => text.includes(words))),
        timeoutMs,
      ),
    now: () => states.at(-1),
    async close() {
      clearInterval(timer)
      for (const session of ['app-1', 'ask-1']) await ao('session', 'kill', session, '--force')
      await endLoop(loop)
      await beside?.stop()
      await model.close()
      return process.env.AO_REAL_KEEP ? [] : world.temp.cleanup()
    },
  }
  return life
}

/** Reminders of the loop would come between the messages of the cells. */
const NO_REACTIONS = {
  'agent-idle': { auto: false },
  'agent-stuck': { auto: false },
  'agent-needs-input': { auto: false },
}

async function endLoop(loop: ChildProcess): Promise<void> {
  if (loop.exitCode !== null) return
  const ended = new Promise((resolve) => loop.once('exit', resolve))
  loop.kill('SIGTERM')
  await ended
}

function noteState(home: string, states: SeenState[]): void {
  const text = readRecord(home)
  if (text === null) return
  const value = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  const activity = value('activity')
  const status = value('status')
  const last = states.at(-1)
  if (last?.activity !== activity || last.status !== status) states.push({ at: Date.now(), activity, status })
}

function dataDirOf(home: string): string | null {
  const data = join(home, '.agent-orchestrator')
  const project = existsSync(data) ? readdirSync(data).find((name) => name.endsWith('-app')) : undefined
  return project === undefined ? null : join(data, project)
}

function readRecord(home: string): string | null {
  try {
    const directory = dataDirOf(home)
    return directory === null ? null : readFileSync(join(directory, 'sessions', 'app-1'), 'utf8')
  } catch {
    // Not there yet, or just being replaced.
    return null
  }
}
