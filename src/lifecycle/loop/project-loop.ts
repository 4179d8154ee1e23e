// The loop of one project: ticks, what triggers them, and the forge's own background work.

import { isWaiting } from '../../contract/blocker.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { recordOf } from '../../contract/record.ts'
import { messageIdsOf } from '../../contract/record-values.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { measure } from '../../lib/measures.ts'
import { storedOf, storedSessions } from '../../manager/active.ts'
import { reachSessions } from '../../manager/context.ts'
import { handleKey, probeAll } from '../../manager/observe/observe-sessions.ts'
import { isPromptLeft, isReturnLeft, readOperation } from '../../manager/operation.ts'
import type { Observer } from '../../store/observability/observability.ts'
import { openTasks } from '../../store/tasks.ts'
import { tick } from '../tick/tick.ts'
import { createRefreshTiming, type RefreshTiming } from '../watch/refresh-timing.ts'
import { createSilenceTiming, type SilenceTiming } from '../watch/silence-timing.ts'
import type { PauseKeeper } from '../watch/watch-pause.ts'
import { type ProjectWatch, watchProject } from '../watch/watch-project.ts'
import { watchScreens, watchStates } from '../watch/watch-screens.ts'
import { type BesideRounds, startBeside } from './beside-rounds.ts'
import { ignoreTrouble, type LoopContext, type SessionTick } from './loop-context.ts'
import { createProjectRounds, type Round } from './project-rounds.ts'
import { startBacklog } from './start-backlog.ts'
import { startScheduled } from './start-scheduled.ts'
import { keepHooksShort } from './trim-hook-log.ts'

export interface ProjectLoop {
  /** Resolves after the first tick. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Something outside reported news from the forge (a webhook). */
  askForge(): void
  /** When the last full tick succeeded, on the clock of `performance.now()`. */
  polledAt(): number | null
}

export interface ProjectLoopOptions {
  loop: LoopContext
  project: ProjectConfig
  observer: Observer
  pollMs: number
  /** null: the loop has not been started. */
  pause(): PauseKeeper | null
}

/** One query to each runtime, without reading files: a killed agent leaves no other trace. */
const LIVENESS_MS = 5_000

/** Only for agents without files of their own; the others report their changes. */
const SCREENS_MS = 2_000

/** Only while an agent's files cannot say whether it asks something, or say it late: a person waits for that. */
const STATES_MS = 250

interface Running extends ProjectLoopOptions, BesideRounds {
  watch: ProjectWatch
  /** Pull requests by session: a new one is a reason to query the forge. */
  pulls: Map<string, string>
  timers: NodeJS.Timeout[]
  /** As they were when what is watched was last renewed. */
  sessions: Session[]
  refreshing: RefreshTiming
  silence: SilenceTiming
  polledAt: number | null
  /** Those whose screen may change their state before their files do. */
  onScreen: Set<string>
}

export function createProjectLoop(options: ProjectLoopOptions): ProjectLoop {
  const { loop, project } = options
  const running: Running = {
    ...options,
    rounds: createProjectRounds(
      (round) => runRound(running, round),
      (why) => loop.context.log.error(`a round of ${project.id} failed: ${why}`),
    ),
    watch: watchProject(loop, project, (reason) => running.rounds.trigger(reason)),
    stopping: new AbortController(),
    beside: new Map(),
    dueAgain: new Set(),
    pulls: new Map(),
    timers: [],
    sessions: [],
    refreshing: createRefreshTiming((session) => running.rounds.trigger({ session })),
    silence: createSilenceTiming((session) => running.rounds.trigger({ session }), {
      now: () => loop.context.clock.now().getTime(),
      pollMs: options.pollMs,
    }),
    polledAt: null,
    onScreen: new Set(),
  }
  return {
    async start() {
      await ignoreTrouble(running, 'watching', () => running.watch.refresh())
      if (running.stopping.signal.aborted) return
      const readScreens = watchScreens(
        loop,
        () => running.sessions.filter(mayRun),
        (session) => running.rounds.trigger({ session }),
      )
      const readStates = watchStates(
        loop,
        () => storedOf(loop.context, project.id, [...running.onScreen]).filter(mayRun),
        (session) => running.rounds.trigger({ session }),
      )
      running.timers.push(
        setInterval(() => running.rounds.trigger({ poll: true }), options.pollMs),
        setInterval(() => void ignoreTrouble(running, 'liveness', () => findDead(running)), LIVENESS_MS),
        setInterval(() => void ignoreTrouble(running, 'screens', readScreens), SCREENS_MS),
        setInterval(() => {
          if (running.onScreen.size > 0) void ignoreTrouble(running, 'screens', readStates)
        }, STATES_MS),
      )
      running.rounds.trigger({ poll: true })
      await running.rounds.next()
    },
    async stop() {
      running.stopping.abort()
      for (const timer of running.timers) clearInterval(timer)
      running.refreshing.close()
      running.silence.close()
      running.watch.close()
      await running.rounds.stop()
      await Promise.all(running.beside.values())
    },
    askForge: () => running.rounds.trigger({ forge: true }),
    polledAt: () => running.polledAt,
  }
}

async function runRound(running: Running, round: Round): Promise<void> {
  const { loop, project, observer, stopping } = running
  if (stopping.signal.aborted) return
  if (round.isPoll) await ignoreTrouble(running, 'recovery', () => recoverAbandoned(running))
  if (wantsRefresh(running, round)) {
    running.refreshing.begin()
    running.sessions = storedSessions(loop.context, project.id)
    await ignoreTrouble(running, 'watching', () => running.watch.refresh())
  } else {
    running.refreshing.later(round.only ?? [], hasYoung(running, round))
  }
  const tickOnce = () =>
    tick(loop, project.id, {
      only: round.only ?? undefined,
      askForge: round.askForge,
      readScreens: round.isPoll,
      inBackground: true,
    })
  const started = performance.now()
  const ticks = round.isPoll
    ? await observer.measure('lifecycle_poll', { projectId: project.id }, tickOnce)
    : await tickOnce()
  measure('tick', {
    repository: loop.context.paths.hash,
    project: project.id,
    kind: round.isPoll ? 'poll' : round.askForge ? 'forge' : 'changes',
    seconds: (performance.now() - started) / 1_000,
  })
  if (stopping.signal.aborted) return
  noteNewPulls(running, ticks)
  for (const { session, watchScreen, nextChangeAt } of ticks) {
    running.onScreen[watchScreen ? 'add' : 'delete'](session.id)
    running.silence.set(session.id, nextChangeAt)
  }
  await running.watch.add(ticks.map(({ session }) => session))
  const reviewers = reviewersOf(running, round, ticks)
  if (reviewers.length > 0) await ignoreTrouble(running, 'reviews', () => endReviews(running, reviewers))
  const isPaused = running.pause()?.isPaused() === true
  if (round.isPoll && !isPaused) {
    await ignoreTrouble(running, 'waiting sessions', () => keepWaiting(running))
    await ignoreTrouble(running, 'schedules', () => startScheduled(loop, project))
    await ignoreTrouble(running, 'the backlog', () => startBacklog(loop, project))
  }
  if (round.isPoll) {
    await ignoreTrouble(running, 'hooks', () => keepHooksShort(loop, project))
    running.polledAt = performance.now()
  }
  if (round.askForge) startBeside(running)
}

/** Most of the time nobody waits, and nobody stands on others: then nothing of it is loaded. */
async function keepWaiting({ loop, project }: Running): Promise<void> {
  const sessions = storedSessions(loop.context, project.id)
  if (sessions.some((one) => recordOf(one).stack !== undefined && !isTerminalSession({ ...one, activity: null }))) {
    const { keepStacks } = await import('./keep-stacks.ts')
    await keepStacks(loop, project, sessions)
  }
  if (!sessions.some((one) => isWaiting(recordOf(one)))) return
  const { startWaiting } = await import('./start-waiting.ts')
  await startWaiting(loop, project, sessions)
}

/** Those that were observed now; with a poll also those that ended. */
function reviewersOf({ loop, project }: Running, { isPoll }: Round, ticks: SessionTick[]): Session[] {
  const observed = new Map(ticks.map(({ session }) => [session.id, session]))
  const others = isPoll ? storedSessions(loop.context, project.id).filter(({ id }) => !observed.has(id)) : []
  return [...observed.values(), ...others].filter((one) => recordOf(one).role === 'reviewer')
}

async function endReviews({ loop, project, rounds }: Running, reviewers: Session[]): Promise<void> {
  const { keepReviews } = await import('./keep-reviews.ts')
  if (await keepReviews(loop, project, reviewers)) rounds.trigger({ forge: true })
}

/** Agents create new files as they go; for a known one an occasional check is enough. */
function wantsRefresh(running: Running, round: Round): boolean {
  const { watch, refreshing } = running
  return round.askForge || watch.isNew(round.only ?? []) || refreshing.isDue(hasYoung(running, round))
}

/** An agent creates its first directories in this time. */
const YOUNG_MS = 60_000

function hasYoung({ loop, project }: Running, { only }: Round): boolean {
  const now = loop.context.clock.now().getTime()
  return storedOf(loop.context, project.id, [...(only ?? [])]).some(
    ({ restoredAt, createdAt }) => now - (restoredAt ?? createdAt).getTime() < YOUNG_MS,
  )
}

/** What a killed command left half-done is finished or rolled back, without waiting for the next command. */
async function recoverAbandoned({ loop, project }: Running): Promise<void> {
  const isAbandoned = storedSessions(loop.context, project.id).some((session) => {
    const record = recordOf(session)
    return isPromptLeft(record) || isReturnLeft(session.id, record) || readOperation(record)?.ownerAlive === false
  })
  if (!isAbandoned && openTasks(loop.context.paths.project(project.id).dir).length === 0) return
  for (const { sessionId, outcome } of await loop.manager.recover(project.id))
    loop.say(`${sessionId}: an interrupted command was ${outcome === 'finished' ? 'finished' : 'rolled back'}`)
}

function noteNewPulls({ pulls, rounds }: Running, ticks: SessionTick[]): void {
  for (const { session } of ticks) {
    const url = session.pr?.url ?? ''
    if (url !== '' && pulls.get(session.id) !== url) rounds.trigger({ forge: true })
    pulls.set(session.id, url)
  }
}

/** Among those that ran at the last refresh: a session that starts is a reason for one. */
async function findDead({ loop, project, rounds, sessions: before }: Running): Promise<void> {
  const ran = before.filter(mayRun).map(({ id }) => id)
  const sessions = storedOf(loop.context, project.id, ran).filter(mayRun)
  const answers = await probeAll(await reachSessions(loop.context, sessions))
  for (const { id, runtimeHandle, metadata } of sessions) {
    // An agent without records never reports that its question was answered.
    const hasMail = messageIdsOf(recordOf({ metadata })).length > 0
    if (hasMail || answers.get(handleKey(runtimeHandle))?.state === 'dead') rounds.trigger({ session: id })
  }
}

/** It has not ended, and there is something that could run. */
function mayRun({ status, runtimeHandle }: Session): boolean {
  return runtimeHandle !== null && !isTerminalSession({ status, activity: null })
}
