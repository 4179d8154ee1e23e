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
import { type FalseState, findFalseStates } from './find-false-states.ts'

export interface SeenState {
  at: number
  activity: string
  status: string
}

/** One that runs without questions, and one that asks. */
const SESSIONS = ['app-1', 'ask-1'] as const
export type Session = (typeof SESSIONS)[number]

export interface Life {
  agent: TerminalAgent
  runtime: string
  world: AoWorld
  model: ModelServer
  env: NodeJS.ProcessEnv
  /** Every change of a session's record, with its time. */
  states(session?: Session): readonly SeenState[]
  worktree(session?: Session): string
  /** Of the project `app`. */
  dataDir(): string
  ao(...args: string[]): ReturnType<AoWorld['ao']>
  send(text: string): Promise<SendReceipt>
  sendTo(session: Session, text: string): Promise<SendReceipt>
  /** Ends the turn of `app-1`. */
  cancelOverAcp(): void
  /** Something other than `send` happens to `app-1`, a kill or a held message: the time in which nothing happens is over. */
  noteEvent(): void
  /** The time at which the activity was first one of `wanted` at or after `since`. */
  stateSince(since: number, wanted: readonly string[], timeoutMs: number, session?: Session): Promise<number | null>
  /** The newest step whose newest user text contains these words. */
  stepWith(wording: string, timeoutMs?: number): Promise<Step>
  now(session?: Session): SeenState | undefined
  /** When messages were sent to `app-1`. */
  sentAt(): readonly number[]
  /** What was reported of `app-1` and was not so, by what the model saw. */
  falseStates(): FalseState[]
  close(): Promise<string[]>
}

const POLL_MS = 20

/** `project`: what the projects have beyond their agent. */
export async function beginLife(
  agent: TerminalAgent,
  runtime: string,
  bin: string,
  project: Record<string, unknown> = {},
): Promise<Life> {
  const world = createAoWorld({ config: '' })
  const model = await startModelServer()
  const { home } = world.temp
  const env = { ...agent.env(model.url, home), PATH: `${bin}:${world.temp.env.PATH}` }
  const worktree = (session: Session = 'app-1') => join(home, '.worktrees', session.split('-')[0]!, session)
  agent.prepare(model.url, home, [worktree(), worktree('ask-1')])
  const ofProject = (prefix: string, permissions: string) => ({
    path: '.',
    ...project,
    sessionPrefix: prefix,
    agent: agent.ao,
    agentConfig: { permissions, ...agent.config(bin), ...(runtime === 'acp' ? agent.acpConfig?.(bin) : {}) },
  })
  const projects = { app: ofProject('app', agent.permissions ?? 'skip'), ask: ofProject('ask', 'suggest') }
  writeFileSync(
    join(world.repo, 'agent-orchestrator.yaml'),
    stringify({ defaults: { runtime, notifiers: [] }, reactions: NO_REACTIONS, projects }),
  )
  // Some agents keep the variables of git from their commands.
  git(world.repo, world.temp.env, 'config', 'user.name', 'Maria')
  git(world.repo, world.temp.env, 'config', 'user.email', 'maria@example.invalid')
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
  const seen: Record<Session, SeenState[]> = { 'app-1': [], 'ask-1': [] }
  const timer = setInterval(() => {
    for (const session of SESSIONS) noteState(home, session, seen[session])
  }, POLL_MS)
  const sentAt: number[] = []
  const sendTo = async (session: Session, text: string): Promise<SendReceipt> => {
    if (session === 'app-1') sentAt.push(Date.now())
    const how = { env, timeoutMs: 120_000, input: text }
    const answer = await world.json<{ receipt: SendReceipt }>(['send', session, '--file', '-'], how)
    return answer.receipt ?? { messageId: '', level: 'undelivered', why: JSON.stringify(answer) }
  }
  const life: Life = {
    agent,
    runtime,
    world,
    model,
    env,
    states: (session = 'app-1') => seen[session],
    worktree,
    dataDir: () => dataDirOf(home) ?? home,
    ao,
    send: (text) => sendTo('app-1', text),
    sendTo,
    cancelOverAcp() {
      const found = beside?.sessions().find(({ workspace_path }) => workspace_path === worktree())
      if (found) beside?.agh('session', 'cancel', found.id)
    },
    noteEvent: () => void sentAt.push(Date.now()),
    async stateSince(since, wanted, timeoutMs, session = 'app-1') {
      const states = seen[session]
      const find = () => {
        const from = states.findLastIndex(({ at }) => at <= since)
        const found = states.slice(Math.max(0, from)).find(({ activity }) => wanted.includes(activity))
        return found ? Math.max(found.at, since) : null
      }
      return waitFor(wanted.join(' or '), find, timeoutMs).catch(() => null)
    },
    stepWith: (wording, timeoutMs = 60_000) =>
      waitFor(
        `a request with ${wording.slice(0, 60)}`,
        () => model.steps.findLast(({ userTexts }) => userTexts.some((text) => text.includes(wording))),
        timeoutMs,
      ),
    now: (session = 'app-1') => seen[session].at(-1),
    sentAt: () => sentAt,
    falseStates() {
      const isOwn = ({ userTexts }: Step) => agent.ownQuestions?.test(userTexts.at(-1) ?? '') ?? false
      const steps = model.steps.filter((step) => isOfApp(step) && !isOwn(step))
      return findFalseStates({ states: seen['app-1'], steps, sentAt })
    },
    async close() {
      clearInterval(timer)
      for (const session of SESSIONS) await ao('session', 'kill', session, '--force')
      await endLoop(loop)
      await beside?.stop()
      await model.close()
      return process.env.AO_REAL_KEEP ? [] : world.temp.cleanup()
    },
  }
  return life
}

const isOfApp = ({ userTexts }: Step) => !userTexts.some((text) => text.includes('ask-1'))

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

function noteState(home: string, session: Session, states: SeenState[]): void {
  const text = readRecord(home, session)
  if (text === null) return
  const value = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  const activity = value('activity')
  const status = value('status')
  const last = states.at(-1)
  if (last?.activity !== activity || last.status !== status) states.push({ at: Date.now(), activity, status })
}

function dataDirOf(home: string, id = 'app'): string | null {
  const data = join(home, '.agent-orchestrator')
  const project = existsSync(data) ? readdirSync(data).find((name) => name.endsWith(`-${id}`)) : undefined
  return project === undefined ? null : join(data, project)
}

function readRecord(home: string, session: Session): string | null {
  try {
    const directory = dataDirOf(home, session.split('-')[0])
    return directory === null ? null : readFileSync(join(directory, 'sessions', session), 'utf8')
  } catch {
    // Not there yet, or just being replaced.
    return null
  }
}
