// The turns of a session and its files before each of them. Going back to one saves first what is there, under a turn of its own, so that
// it can be undone; killed at any point it is finished by the next command (recover.ts).
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { type SessionEvent, THE_USER } from '../../contract/events.ts'
import type { SessionRecord } from '../../contract/record.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { locateGit } from '../../git/git-dir.ts'
import type { Checkpoint } from '../../git/rescue/checkpoint.ts'
import { keptCheckpoints } from '../../git/rescue/checkpoint-refs.ts'
import { goBack } from '../../git/rescue/go-back.ts'
import { endOrphanedGit } from '../../git/workspace/own-git.ts'
import { markedEnv, readRecord } from '../../git/workspace/record.ts'
import { failpoint } from '../../lib/failpoint.ts'
import type { ConversationPoint } from '../../slots/agent.ts'
import { scanHistory } from '../../store/session/history.ts'
import { readPrompt } from '../../store/session/session-file.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import { type FoundSession, type ManagerContext, requireActive } from '../context.ts'
import { get } from '../observe/enrich.ts'
import { NO_OPERATION, NOT_GOING_BACK } from '../operation.ts'
import { ownRecord } from '../own-record.ts'

/** One point that a session can be taken back to. */
export interface Turn {
  turn: number
  at: string
  /** What it began with; of a rewind, what it went back to. */
  text: string
  source: string
  messageId: string
  /** null: it cannot be gone back to, and `why` says why. */
  commit: string | null
  why: string | null
  /** How many files were not saved. */
  left: number
  /** Of a rewind: the conversation that its agent had before, by the agent's own id; null: unknown. */
  conversation: string | null
  /** When its session was rewound next: its message was entered before that. */
  until?: string
}

export interface Rewound {
  sessionId: string
  turn: number
  /** The turn under which everything can be found that was there before. */
  saved: number
  /** About anything that is not as it was. */
  notice: string | null
  /** Whether its agent has gone back, too; `next-start`: one that has ended does so then. */
  conversation: 'back' | 'next-start' | 'kept'
  /** Why it still remembers what came later; null: it does not. */
  keptBecause: string | null
}

interface Job {
  project: ProjectConfig
  store: SessionStore
  sessionId: string
  path: string
  target: Pick<Turn, 'turn'> & { commit: string }
  by: string
  /** null: its agent goes back, too. */
  keptBecause: string | null
  /** Who ends its agent then, and starts it again. */
  returner: string
}

export async function goBackTo(context: ManagerContext, job: Job): Promise<Rewound> {
  const { store, sessionId, path, target, by, keptBecause } = job
  const conversation = keptBecause === null ? 'back' : 'kept'
  const workspace = readRecord(path)
  // Of a command that was killed: it would go on writing there.
  if (workspace !== null) await endOrphanedGit(path, workspace)
  const messageId = `rewind-${context.clock.now().getTime()}`
  const saved = store.nextTurn(sessionId, messageId)
  const onSaved = async ({ commit, left }: Checkpoint) => {
    const event = { type: 'turn.saved', turn: saved, message: messageId, commit, rewindTo: target.turn } as const
    const count = left.length === 0 ? undefined : left.length
    const data = { turn: target.turn, by, conversation: keptBecause === null ? ('back' as const) : undefined }
    await store.update(sessionId, { operation: 'rewind', operationData: data }, [
      { ...event, left: count, conversation: (await conversationOf(context, job)) ?? undefined },
      { type: 'operation.started', operation: 'rewind', by },
    ])
  }
  const env = markedEnv(path, context.env)
  const foreign = foreignBranches(context, job)
  const request = { path, sessionId, turn: saved, env, commit: target.commit, foreign, onSaved }
  const notice = await goBack(request).catch(async (error: unknown) => {
    // Refused before anything changed: nobody may carry it out later, behind the back of whoever was told so.
    const isRefused = error instanceof AoError && error.code === 'STATE_REFUSED'
    if (isRefused && store.read(sessionId)?.record.operation === 'rewind')
      await store.update(sessionId, NO_OPERATION, [
        { type: 'operation.failed', operation: 'rewind', step: 'take the files back', error: error.message },
      ])
    throw error
  })
  // In one step: a crash leaves the files of now with this conversation, or those of then with that one.
  await store.update(sessionId, { ...NO_OPERATION, ...(await whereItGoes(context, job)) }, [
    { type: 'session.rewound', turn: target.turn, saved, by, notice: notice ?? undefined, conversation },
    { type: 'operation.finished', operation: 'rewind' },
  ])
  failpoint('rewind.recorded')
  return { sessionId, turn: target.turn, saved, notice, conversation, keptBecause }
}

async function whereItGoes(context: ManagerContext, { sessionId, target, keptBecause, returner }: Job) {
  // What a rewind before it left to the next start is over.
  if (keptBecause !== null) return NOT_GOING_BACK
  const session = await get(context, sessionId)
  return { conversationTo: target.turn, returner: session && !isTerminalSession(session) ? returner : null }
}

/** The base branch, and those of other sessions that have not ended. */
function foreignBranches(context: ManagerContext, { project, sessionId }: Job): Set<string> {
  const others = Object.values(context.config.projects)
    .filter(({ path }) => path === project.path)
    .flatMap(({ id }) => context.store(id).readAll())
    .filter(({ id, record }) => id !== sessionId && record.endedAs === undefined)
  return new Set([project.defaultBranch, ...others.flatMap(({ record: { branch } }) => branch ?? [])])
}

/** What a killed rewind left is finished: half of its files would be of another turn. */
export async function finishRewind(
  context: ManagerContext,
  { record, ...session }: { project: ProjectConfig; store: SessionStore; sessionId: string; record: SessionRecord },
): Promise<'finished'> {
  const { turn = 0, by = THE_USER, conversation } = record.operationData ?? {}
  const { sessionId } = session
  const found = requireActive(context, sessionId)
  const path = await requireFiles(context, found, sessionId)
  const keptBecause = conversation === 'back' ? null : 'as it was when it was interrupted'
  const target = await requireTurn(context, sessionId, turn)
  // Whoever recovers it goes on with that.
  await goBackTo(context, { ...session, path, target, by, keptBecause, returner: 'nobody' })
  return 'finished'
}

/** Where its files are. Throws when they are nobody's to take back. */
export async function requireFiles(
  context: ManagerContext,
  { project, stored }: FoundSession,
  id: string,
): Promise<string> {
  const { record } = await ownRecord(context, project, id, stored)
  const refuse = (why: string, hint?: string) =>
    new AoError('STATE_REFUSED', `${id} cannot be rewound: ${why}`, { hint, details: { sessionId: id } })
  if (record.place !== undefined)
    throw refuse('its files are elsewhere', `Bring them home first with: ao session move ${id} --here`)
  const { worktree, role = 'worker' } = record
  if (role !== 'worker' || worktree === project.path) throw refuse(`as ${role} it has no files of its own`)
  if (worktree === undefined || locateGit(worktree) === null)
    throw refuse('it has no workspace now', `Bring it back first with: ao session restore ${id}`)
  return worktree
}

/** Throws when it was not saved, or is no longer there. */
export async function requireTurn(
  context: ManagerContext,
  sessionId: string,
  wanted: number,
): Promise<Turn & { commit: string }> {
  const turn = (await turnsOf(context, sessionId)).find((one) => one.turn === wanted)
  if (turn?.commit) return { ...turn, commit: turn.commit }
  const why = turn ? `: ${turn.why}` : ''
  throw new AoError('STATE_REFUSED', `${sessionId} has no saved turn ${wanted}${why}`, {
    hint: `See what it can go back to with: ao session turns ${sessionId}`,
    details: { sessionId, turn: wanted },
  })
}

/** What is saved with a start is written down only after it. */
const START_MS = 10 * 60_000

/** Where a turn begins in the conversation of its agent; null: nobody wrote that down. */
export function pointOf(context: ManagerContext, sessionId: string, turn: Turn): ConversationPoint | null {
  const { source, conversation, text, at } = turn
  // Its agent may have gone on in it.
  if (source === 'rewind') return conversation === null ? null : { id: conversation, until: new Date(at) }
  const until = turn.until === undefined ? undefined : new Date(turn.until)
  if (source !== 'spawn') return { before: { text, since: new Date(at), until } }
  // With everything that its agent was told beside the words of the person.
  const whole = readPrompt(requireActive(context, sessionId).store.paths.stateDir(sessionId)) ?? text
  return { before: { text: whole, since: new Date(Date.parse(at) - START_MS), until } }
}

async function conversationOf(context: ManagerContext, { sessionId }: Job): Promise<string | null> {
  const session = await get(context, sessionId)
  return session?.agentInfo?.agentSessionId ?? null
}

const TYPES: ReadonlySet<string> = new Set(['turn.saved', 'turn.not_saved', 'message.queued', 'message.edited'])
const GONE = 'it was removed to keep the disk within its limits'

/** Every turn that ao began, oldest first. From the history alone: an agent can make refs of any name. */
export async function turnsOf(context: ManagerContext, sessionId: string): Promise<Turn[]> {
  const { store, stored, project } = requireActive(context, sessionId)
  const texts = new Map<string, { text: string; source: string }>()
  const turns = new Map<number, Turn>()
  const prompt = stored.record.userPrompt ?? readPrompt(store.paths.stateDir(sessionId)) ?? ''
  const take = (event: SessionEvent) => {
    if (event.type === 'message.queued') texts.set(event.messageId, { text: event.text, source: event.source })
    if (event.type === 'message.edited')
      texts.set(event.messageId, { text: event.text, source: texts.get(event.messageId)?.source ?? 'user' })
    if (event.type !== 'turn.saved' && event.type !== 'turn.not_saved') return
    const { turn, at, message: messageId } = event
    const isSaved = event.type === 'turn.saved'
    const rewound = isSaved && event.rewindTo !== undefined
    const message = rewound
      ? { text: `before it was rewound to ${event.rewindTo}`, source: 'rewind' }
      : (texts.get(messageId) ?? { text: prompt, source: 'spawn' })
    const how = isSaved ? { commit: event.commit, why: null, left: event.left ?? 0 } : { why: event.why }
    const conversation = (isSaved && event.conversation) || null
    if (rewound) for (const one of turns.values()) one.until ??= at
    turns.set(turn, { commit: null, left: 0, ...how, turn, at, messageId, ...message, conversation })
  }
  scanHistory(store.paths, sessionId, { from: 0, types: TYPES }, take)
  const location = locateGit(stored.record.worktree ?? '') ?? locateGit(project.path)
  const all = [...turns.values()]
  if (location === null) return all
  const commits = all.flatMap(({ commit }) => commit ?? [])
  const kept = await keptCheckpoints({ commonDir: location.commonDir, env: context.env }, commits)
  return all.map((one) => (one.commit === null || kept.has(one.commit) ? one : { ...one, commit: null, why: GONE }))
}
