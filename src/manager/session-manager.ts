// The session manager: every operation once, tied to one configuration and one registry. Stateless; no logic of its own.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionEvent as AgentEvent } from '../contract/agh/events.ts'
import { errorText } from '../contract/errors.ts'
import type { Session, SessionId } from '../contract/session.ts'
import { measure } from '../lib/measures.ts'
import type { PluginContext } from '../slots/plugin.ts'
import { isPaused, readPause } from '../store/fleet-pause.ts'
import {
  createManagerContext,
  findActive,
  findArchived,
  type ManagerContext,
  type SessionManagerOptions,
} from './context.ts'
import { get, list } from './observe/enrich.ts'
import type { FollowOptions } from './types.ts'

export function createSessionManager(options: SessionManagerOptions): SessionManager {
  return managerOf(createManagerContext(options))
}

/** For plugins, which know nothing of the manager. The options are read when somebody asks: their registry is made first. */
export function sessionPlaces(options: () => SessionManagerOptions): NonNullable<PluginContext['sessionPlace']> {
  return async (projectId, sessionId) =>
    (await import('./place/session-place.ts')).sessionPlace(createManagerContext(options()), projectId, sessionId)
}

/** Every operation, with the types of the function that does it. Each is loaded when it is first used: most commands only list. */
const OPERATIONS = {
  /** Reads only: findings are in the returned objects, not on disk. */
  list: reads(async () => list),
  get: reads(async () => get),
  spawn: unlessPaused(starts(async () => (await import('./launch/spawn.ts')).spawn)),
  /** What a schedule of a project starts now; null: it is not due. */
  startDue: unlessPaused(reads(async () => (await import('./launch/scheduled.ts')).startDue)),
  /** The same at a person's word, whether it is due or not. */
  runSchedule: unlessPaused(reads(async () => (await import('./launch/scheduled.ts')).runSchedule)),
  /** What a trigger starts now; null: nothing happened. */
  startTriggered: unlessPaused(reads(async () => (await import('./launch/triggered.ts')).startTriggered)),
  noteRequest: reads(async () => (await import('./launch/triggered.ts')).noteRequest),
  pauseSchedule: reads(async () => (await import('./launch/scheduled.ts')).pauseSchedule),
  /** Starts a session that waits for others, whatever has become of them. */
  startWaiting: unlessPaused(changes('spawn', async () => (await import('./launch/start-waiting.ts')).startWaiting)),
  /** The id of a reviewer of one of its pull requests, started now or before. */
  startReview: unlessPaused(reads(async () => (await import('./launch/review.ts')).startReview)),
  /** What `spawn` would do now: ids, paths, command and steps. Changes nothing. */
  planSpawn: reads(async () => (await import('./launch/spawn.ts')).planSpawn),
  /** Several sessions for one task; all of them are checked before the first begins. */
  spawnTask: unlessPaused(reads(async () => (await import('./task/spawn-task.ts')).spawnTask)),
  planTask: reads(async () => (await import('./task/spawn-task.ts')).planShared),
  /** The sessions of one task beside each other. */
  compare: reads(async () => (await import('./task/compare.ts')).compare),
  /** From the committed work of one session of a task to that of another. */
  diffPair: reads(async () => (await import('./task/compare.ts')).diffPair),
  /** A person chooses one of several tries: the others end, and their work is kept. */
  choose: reads(async () => (await import('./task/choose.ts')).choose),
  /** A proposal to split work: data only. */
  propose: reads(async () => (await import('./task/split.ts')).propose),
  proposals: reads(async () => (await import('./task/split.ts')).listProposals),
  proposal: reads(async () => (await import('./task/split.ts')).proposalOf),
  editProposal: reads(async () => (await import('./task/split.ts')).editProposal),
  /** At a person's word: makes its issues and sessions. */
  acceptProposal: unlessPaused(reads(async () => (await import('./task/split.ts')).acceptProposal)),
  discardProposal: reads(async () => (await import('./task/split.ts')).discardProposal),
  spawnOrchestrator: unlessPaused(
    starts(async () => (await import('./launch/spawn-orchestrator.ts')).spawnOrchestrator),
  ),
  /** What ao did not start and could make a session of. Changes nothing. */
  listAdoptable: reads(async () => (await import('./adopt/find-work.ts')).listAdoptable),
  adopt: unlessPaused(starts(async () => (await import('./adopt/adopt.ts')).adopt)),
  /** A second session that begins with the files of another. */
  fork: unlessPaused(changes('fork', async () => (await import('./launch/fork.ts')).fork)),
  /** Takes its files back to how they were before a turn. Refused while its agent is in one. */
  rewind: changes('rewind', async () => (await import('./remove/rewind.ts')).rewind),
  /** Every turn that ao began with it, oldest first, and whether its files can be gone back to. */
  turns: reads(async () => (await import('./remove/turns.ts')).turnsOf),
  restore: unlessPaused(changes('restore', async () => (await import('./launch/restore.ts')).restore)),
  kill: forgetting(changes('kill', async () => (await import('./remove/kill.ts')).kill)),
  /** Ends it as done, at a person's word; its workspace stays. */
  finish: forgetting(changes('kill', async () => (await import('./remove/kill.ts')).finish)),
  /** Ends its agent, brings its work home and pauses its place, which keeps its disk. One that is paused stays so. */
  pause: changes('pause', async () => (await import('./place/pause.ts')).pause),
  /** Ends its agent, brings its work home and restores it in another place, or on this machine. */
  move: unlessPaused(changes('move', async () => (await import('./place/pause.ts')).move)),
  /**
   * Continues it with another account of the configuration, in a new conversation in the same workspace. If that account
   * cannot be used, the session is as it was, and this throws.
   */
  switchAccount: unlessPaused(
    changes('switch', async () => (await import('./fallback/switch-account.ts')).switchAccount),
  ),
  listPlaces: reads(async () => (await import('./place/places.ts')).listPlaces),
  /** One line about a place. Throws what is wrong with it. */
  testPlace: reads(async () => (await import('./place/places.ts')).testPlace),
  /** A drained place takes no new sessions. */
  drainPlace: reads(async () => (await import('./place/places.ts')).drainPlace),
  cleanup: observed(
    'cleanup',
    async () => (await import('./remove/cleanup.ts')).cleanup,
    ([projectId]) => ({ projectId }),
  ),
  /** The decisions behind `cleanup`, one per session. */
  planCleanup: reads(async () => (await import('./remove/cleanup.ts')).planCleanup),
  /** What killed commands left that no session's record mentions. */
  findLeftovers: reads(async () => (await import('./remove/leftovers.ts')).findLeftovers),
  /** Finishes or rolls back what a crashed command left. Every changing operation does this first. */
  recover: reads(async () => (await import('./task/settle-tasks.ts')).recoverAll),
  /** Throws MESSAGE_UNDELIVERED when the message did not reach the agent. */
  send: changes('send', async () => (await import('./send.ts')).sendOrThrow),
  /** The same with its receipt: `seen`, `handed_over`, `held` or `undelivered`, never a false success. */
  deliver: changes('send', async () => (await import('./send.ts')).send),
  /** The same for the loop, which has just observed the session. */
  react: changes('send', async () => (await import('./deliver.ts')).react),
  /** Delivers held messages, if the agent accepts them now. null: another process is doing so. */
  deliverHeld: changes('send', async () => (await import('./deliver.ts')).deliverHeld),
  /** Messages that have not reached the agent yet, in the order of their delivery. */
  waitingMessages: reads(async () => (await import('./message/waiting-messages.ts')).readWaiting),
  /** Another text for one of them; null withdraws it. Throws MESSAGE_NOT_WAITING for one that was delivered. */
  changeWaiting: changes('send', async () => (await import('./message/waiting-messages.ts')).changeWaiting),
  /** Answers what the agent asks. Throws PERMISSION_NOT_FOUND when no such question is pending. */
  answerPermission: unlessPaused(
    changes('answer_permission', async () => (await import('./permissions.ts')).answerPermission),
  ),
  /** What the agent asks now, over events or on its screen. */
  pendingPermissions: reads(async () => (await import('./permissions.ts')).pendingPermissions),
  /** What its agent may do without asking because somebody answered always, and who keeps that. */
  standingRules: reads(async () => (await import('./attend/standing-rules.ts')).readRules),
  /** Throws RULE_NOT_FOUND for one that ao's side does not keep. */
  revokeRule: changes('answer_permission', async () => (await import('./attend/standing-rules.ts')).revokeRule),
  /** Stops every agent of this user where it is; nothing starts a turn until `resumeFleet`. */
  pauseFleet: reads(async () => (await import('./attend/pause-fleet.ts')).pauseFleet),
  /** Lets exactly those go on; null: nothing is paused. */
  resumeFleet: reads(async () => (await import('./attend/resume-fleet.ts')).resumeFleet),
  /** Stops one agent where it is, its messages are held; false: it cannot be. */
  pauseAgent: reads(async () => (await import('./attend/pause-agent.ts')).pauseAgent),
  /** Lets one go on that was stopped so; false: it was not, or everything is paused. */
  resumeAgent: reads(async () => (await import('./attend/pause-agent.ts')).resumeAgent),
  /** Ends the turn that is running; the agent stays. STATE_REFUSED for one that has a terminal. */
  stopTurn: changes('send', async () => (await import('./attend/attend.ts')).stopTurn),
  /** Sends the prompt of a turn that failed again, word for word; an agent in a terminal is asked to try again. */
  retryTurn: unlessPaused(changes('send', async () => (await import('./attend/attend.ts')).retryTurn)),
  /** Asks its agent to hand in its work: to open a pull request, where there is a forge. */
  handIn: changes('send', async () => (await import('./attend/attend.ts')).handIn),
  /** Says what it may cost; null: as in the configuration. */
  setBudget: changes('send', async () => (await import('./attend/attend.ts')).setBudget),
  /** Merges exactly this head of its pull request. */
  merge: unlessPaused(changes('merge', async () => (await import('./attend/attend.ts')).merge)),
  /** Puts off what it needs now, until then; null: from now on it counts again. A need that is about to expire cannot be put off. */
  snooze: reads(async () => (await import('./attend/attend.ts')).snooze),
  /** Gives it a name that stays; null: it is called after its task again. Resolves with the name as stored. */
  rename: reads(async () => (await import('./attend/attend.ts')).rename),
  claimPR: changes('claim_pr', async () => (await import('./claim-pr.ts')).claimPr),
  /** Writes the session and its work into one file. Changes nothing. */
  exportSession: reads(async () => (await import('./transfer/export-session.ts')).exportSession),
  /** Takes an exported session into the archive. ARCHIVE_INVALID when the file is not one; then nothing is left of it. */
  importSession: reads(async () => (await import('./transfer/import-session.ts')).importSession),
  /** What every session has used, archived ones too. */
  costs: reads(async () => (await import('./observe/cost-entries.ts')).costs),
  /** Which live branches meet, and where; uncommitted work included. Changes nothing. */
  radar: reads(async () => (await import('./observe/radar.ts')).readRadar),
  /** What its branch changes, uncommitted work included; also of an ended session. */
  diff: reads(async () => (await import('./observe/session-diff.ts')).diffSession),
  /** The commits of its branch, oldest first. */
  commits: reads(async () => (await import('./observe/session-diff.ts')).sessionCommits),
  /** The last lines of the agent's screen; '' when it is not running. */
  readScreen: reads(async () => (await import('./observe/session-events.ts')).readScreen),
  /** The conversation, also of an ended session; STATE_REFUSED for one that has a terminal instead. */
  readTranscript: reads(async () => (await import('./observe/session-events.ts')).readTranscript),
  /** Its events after number `after`, including future ones, until the session ends or the signal fires. */
  followEvents: (context: ManagerContext) =>
    async function* (sessionId: SessionId, options: FollowOptions): AsyncIterable<AgentEvent> {
      yield* (await import('./observe/session-events.ts')).followEvents(context, sessionId, options)
    },
}

/** What programs that embed ao call. */
export type SessionManager = { [K in keyof typeof OPERATIONS]: ReturnType<(typeof OPERATIONS)[K]> }

/** For the loop, which has the context too: both share what they know of the records. */
export function managerOf(context: ManagerContext): SessionManager {
  const bound = Object.entries(OPERATIONS).map(([name, operation]) => [name, operation(context)])
  return Object.fromEntries(bound) as SessionManager
}

type Load<A extends unknown[], R> = () => Promise<(context: ManagerContext, ...args: A) => R | Promise<R>>
type Operation<A extends unknown[], R> = (context: ManagerContext) => (...args: A) => Promise<R>

/**
 * It lets an agent work, or lands its work. Messages are held instead (deliver.ts). An agent that was being started when
 * everything was paused is stopped like the others.
 */
function unlessPaused<A extends unknown[], R>(operation: Operation<A, R>): Operation<A, R> {
  const whenPaused = () => import('./attend/pause-fleet.ts')
  return (context) =>
    async (...args) => {
      if (isPaused(readPause(context.paths))) (await whenPaused()).refuseWhilePaused(context)
      const result = await operation(context)(...args)
      if (isPaused(readPause(context.paths))) await (await whenPaused()).stopEverything(context)
      return result
    }
}

/** Whoever is ended while everything is paused is not brought back when it goes on. */
function forgetting<A extends [sessionId: SessionId, ...unknown[]], R>(operation: Operation<A, R>): Operation<A, R> {
  return (context) =>
    async (...args) => {
      const result = await operation(context)(...args)
      if (isPaused(readPause(context.paths)))
        await (await import('./attend/pause-fleet.ts')).forgetStopped(context, args[0])
      return result
    }
}

/** Not counted: it reads, or what it changes is not about one session. */
function reads<A extends unknown[], R>(load: Load<A, R>): Operation<A, R> {
  return (context) =>
    async (...args) =>
      (await load())(context, ...args)
}

/** Counted under this name for the session that comes first. */
function changes<A extends [sessionId: SessionId, ...unknown[]], R>(operation: string, load: Load<A, R>) {
  return observed(operation, load, ([sessionId]) => ({ sessionId }))
}

/** A new session has its id only once it is there. */
function starts<A extends [config: { projectId: string }, ...unknown[]]>(load: Load<A, Session>) {
  return observed(
    'spawn',
    async () => {
      const start = await load()
      return async (context: ManagerContext, ...args: A) => {
        const [{ projectId }] = args
        // Most projects have no task of several sessions.
        if (existsSync(join(context.paths.project(projectId).dir, 'tasks')))
          await (await import('./task/settle-tasks.ts')).settleTasks(context, projectId)
        return start(context, ...args)
      }
    },
    ([{ projectId }]) => ({ projectId }),
    ({ id }) => id,
  )
}

type Subject = { projectId?: string | undefined; sessionId?: string | undefined }

function observed<A extends unknown[], R>(
  operation: string,
  load: Load<A, R>,
  subjectOf: (args: A) => Subject,
  idOf: (result: R) => string | undefined = () => undefined,
): Operation<A, R> {
  return (context) =>
    async (...args) => {
      const started = performance.now()
      const subject = subjectOf(args)
      // Looked up before: a purge leaves nothing to find.
      const projectId = subject.projectId ?? projectOf(context, subject.sessionId) ?? '*'
      const observe = (outcome: 'success' | 'failure', sessionId = subject.sessionId, reason?: string) => {
        const durationMs = performance.now() - started
        context.observe?.(operation, { projectId, sessionId, outcome, durationMs: Math.round(durationMs), reason })
        const repository = context.paths.hash
        measure('operation', { repository, project: projectId, operation, outcome, seconds: durationMs / 1_000 })
      }
      try {
        const result = await (await load())(context, ...args)
        observe('success', idOf(result))
        return result
      } catch (error) {
        observe('failure', undefined, errorText(error))
        throw error
      }
    }
}

function projectOf(context: ManagerContext, sessionId: string | undefined): string | undefined {
  const [only, ...others] = Object.keys(context.config.projects)
  if (others.length === 0) return only
  if (sessionId === undefined) return undefined
  return (findActive(context, sessionId) ?? findArchived(context, sessionId))?.project.id
}
