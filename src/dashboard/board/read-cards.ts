// Sessions as cards, as they are right now: one query to each runtime, and files for the rest. Writes nothing.

import type { SessionCard } from '../../contract/dashboard/cards.ts'
import { errorText } from '../../contract/errors.ts'
import type { PermissionRequest } from '../../contract/permission.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { resolveBudget } from '../../core/budget/find-over-budget.ts'
import { toCard } from '../../core/status/board-card.ts'
import { blockedFact, explainStatus } from '../../core/status/explain-status.ts'
import { readReactionMemory } from '../../lifecycle/tick/reaction-memory.ts'
import { type ManagerContext, scmOf } from '../../manager/context.ts'
import { currentSessions, listOnly, showSessions } from '../../manager/observe/enrich.ts'
import type { HistoryFacts, HistoryMemory } from '../system/history-facts.ts'
import { readQuestions } from './read-questions.ts'

export interface CardReading {
  context: ManagerContext
  histories: HistoryMemory
  /** The previous card, for what only time shows. */
  before(sessionId: string): SessionCard | undefined
}

export interface CardsRead {
  /** Those that may differ from what they were. */
  cards: Array<{ card: SessionCard; session: Session }>
  /** All that there are, of those that were asked for, as they are stored. */
  found: ReadonlyMap<string, Session>
  /** Of these no card was made. */
  withoutCard: ReadonlySet<Session>
}

export interface CardMemory {
  /** The sessions by their ids, for a reader that stays and knows them already. */
  byId?(stored: readonly Session[]): ReadonlyMap<string, Session>
  /** Which of all sessions need no card. */
  withoutCard(stored: Session[]): ReadonlySet<Session>
  /** Its card was made of this very object: nothing about it has changed. */
  isShown(session: Session): boolean
}

/** `only` null: all of them, except those of which everything is known. */
export async function readCards(
  reading: CardReading,
  only: ReadonlySet<string> | null,
  memory: CardMemory,
): Promise<CardsRead> {
  const { context } = reading
  if (only !== null) {
    const sessions = await listOnly(context, only)
    return { cards: await toCards(reading, sessions), found: byId(sessions), withoutCard: new Set() }
  }
  const stored = await currentSessions(context)
  const found = memory.byId?.(stored) ?? byId(stored)
  const withoutCard = memory.withoutCard(stored)
  const shown = await showSessions(
    context,
    stored.filter((one) => !withoutCard.has(one)),
  )
  const cards = await toCards(
    reading,
    shown.filter((session) => !memory.isShown(session)),
  )
  return { cards, found, withoutCard }
}

/** Cards of these sessions, in their order. */
export async function toCards(reading: CardReading, sessions: Session[]): Promise<CardsRead['cards']> {
  const questions = await readQuestions(reading.context, sessions)
  return Promise.all(
    sessions.map(async (session) => ({
      session,
      card: await toOne(reading, session, questions.get(session.id) ?? []),
    })),
  )
}

function byId(sessions: readonly Session[]): Map<string, Session> {
  return new Map(sessions.map((session) => [session.id, session]))
}

export async function readCard(reading: CardReading, session: Session): Promise<SessionCard> {
  const [read] = await toCards(reading, [session])
  return read!.card
}

async function toOne(
  { context, histories, before: shown }: CardReading,
  session: Session,
  permissions: PermissionRequest[],
): Promise<SessionCard> {
  const store = context.store(session.projectId)
  const history = histories.read(store, session.id)
  const memory = readReactionMemory(store.paths.stateDir(session.id))
  const before = shown(session.id)
  return toCard({
    session,
    since: since(session, history, { before, now: context.clock.now() }),
    evidence: evidence(session, history, context.clock.now()),
    escalated: Object.values(memory).some((record) => record?.escalated === true),
    endedByCommand: history.endedByCommand,
    permissions,
    canMerge: await canMerge(context, session),
    view: await viewOf(context, session),
    limitUsd: limitOf(context, session),
    now: context.clock.now(),
  })
}

function limitOf({ config }: ManagerContext, session: Session): number | null {
  const project = config.projects[session.projectId]
  return resolveBudget(config.budget, project?.budget, recordOf(session).budgetUsd).sessionUsd
}

/** As it was recorded; a status that nobody has recorded yet began, as far as is known, when it was first observed. */
function since(
  session: Session,
  { lastChange }: HistoryFacts,
  { before, now }: { before: SessionCard | undefined; now: Date },
): string {
  const record = recordOf(session)
  if (record.status === session.status && record.statusSince) return record.statusSince.toISOString()
  if (lastChange?.to === session.status) return lastChange.at
  if (before?.status === session.status) return before.statusSince
  return now.toISOString()
}

function evidence(session: Session, { lastChange }: HistoryFacts, now: Date): string[] {
  if (lastChange?.to === session.status && lastChange.evidence.length > 0) {
    const blockedBy = session.agentInfo?.blockedBy
    return [...(blockedBy === undefined ? [] : [blockedFact(blockedBy)]), ...lastChange.evidence]
  }
  // Text that contains an age changes every second; the card has its own times.
  const still = { ...session, activity: session.activity === 'exited' ? session.activity : null }
  return explainStatus({ session: still, archivedAt: null }, now)
}

async function canMerge(context: ManagerContext, session: Session): Promise<boolean> {
  const project = context.config.projects[session.projectId]
  if (session.pr === null || !project) return false
  try {
    return (await scmOf(context, project))?.mergePR !== undefined
  } catch (error) {
    context.log.debug(`the forge of ${project.id} could not be loaded: ${errorText(error)}`)
    return false
  }
}

async function viewOf(context: ManagerContext, { runtimeHandle }: Session): Promise<SessionCard['can']['view']> {
  if (runtimeHandle === null) return null
  try {
    const runtime = await context.registry.find('runtime', runtimeHandle.runtimeName)
    if (!runtime) return null
    return runtime.events ? 'transcript' : 'terminal'
  } catch (error) {
    context.log.debug(`the runtime ${runtimeHandle.runtimeName} could not be loaded: ${errorText(error)}`)
    return null
  }
}
