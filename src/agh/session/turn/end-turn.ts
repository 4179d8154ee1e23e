// The one way a turn ends: its questions are withdrawn, its open tool calls get a result, and its last event is on the disk
// before anybody sees it.
import { errorText } from '../../../contract/errors.ts'
import { interruptedResult } from '../../../core/agh/repair/interrupted-tool.ts'
import { metaAfterTurn, type TurnEnd } from '../../../core/agh/session/end-of-turn.ts'
import { grantsAfterTurn } from '../../../core/agh/session/permission-grants.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { saveMeta } from '../save-meta.ts'
import { leaveTurn } from './live-turn.ts'
import { cancelPermissions } from './permission-desk.ts'

/** Resolves when its end is on the disk, or when the session ends because it could not be written. */
export async function endTurn(context: AghContext, session: LiveSession, end: TurnEnd): Promise<void> {
  const running = session.turn
  if (!running) return
  const { turn } = running
  cancelPermissions(session.permissions)
  session.grants = grantsAfterTurn(session.grants)
  running.recorded = orFinish(session, async () => {
    if (end.interrupted) {
      for (const [callId, title] of turn.openTools) {
        session.store.append({ turn_id: turn.id, type: 'tool_result', content: interruptedResult(callId, title) })
      }
    }
    const recorded = session.store.appendDurable({ turn_id: turn.id, ...end.event })
    leaveTurn(session, running)
    await recorded
    if (session.meta.state === 'active') saveMeta(context, session, metaAfterTurn(turn, end))
  })
  leaveTurn(session, running)
  await running.recorded
}

/** A session whose history or metadata cannot be written must not go on as if it could. */
export async function orFinish(session: LiveSession, write: () => Promise<void>): Promise<void> {
  // The session ends because of it: that is what its caller would do too.
  await orFinishAndFail(session, write).catch(() => undefined)
}

/** The same for a caller who answers somebody. */
export async function orFinishAndFail(session: LiveSession, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    session.endUnwritable(`its files cannot be written: ${errorText(error)}`)
    throw error
  }
}
