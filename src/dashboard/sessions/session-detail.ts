// Everything about one session: its card, its record, its history in words, and why it has its status.

import type { SessionDetail } from '../../contract/dashboard/answers.ts'
import { toPageEvent } from '../../core/status/clip-event.ts'
import { describeEvent } from '../../core/status/describe-event.ts'
import { explainReactions, explainStatus } from '../../core/status/explain-status.ts'
import { readReactionMemory } from '../../lifecycle/tick/reaction-memory.ts'
import { requireAnySession } from '../../manager/observe/require-session.ts'
import { lastOf } from '../../store/session/history.ts'
import { readCard } from '../board/read-cards.ts'
import type { DashboardContext } from '../server/context.ts'
import { createHistoryMemory } from '../system/history-facts.ts'
import { isRecorded } from './session-recording.ts'

/** Older events are read with `ao events`. */
const MOST_EVENTS = 2_000
const MOST_BYTES = 2 * 1024 * 1024

export async function readDetail(context: DashboardContext, sessionId: string): Promise<SessionDetail> {
  const found = await requireAnySession(context, sessionId)
  const { session, store, archivedAt } = found
  const now = context.clock.now()
  const { events } = store.readHistory(sessionId, { last: MOST_EVENTS, maxBytes: MOST_BYTES })
  const lastReaction = lastOf(store.paths, sessionId, 'reaction')
  const memory = archivedAt === null ? readReactionMemory(store.paths.stateDir(sessionId)) : {}
  const reading = { context, histories: createHistoryMemory(), before: () => undefined }
  const shown = archivedAt === null ? null : context.board.card(sessionId)
  return {
    card: shown ?? (await readCard(reading, session)),
    archivedAt: archivedAt?.toISOString() ?? null,
    workspacePath: session.workspacePath,
    isRecorded: isRecorded(found),
    why: {
      facts: explainStatus({ session, archivedAt }, now),
      reactions: explainReactions(memory, now),
      lastReaction: lastReaction ? describeEvent(lastReaction) : null,
    },
    metadata: session.metadata,
    history: events.map(toPageEvent),
  }
}
