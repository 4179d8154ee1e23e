// The one way a turn ends: its questions are withdrawn, its open tool calls get a result, and its last event is on the disk
// before anybody sees it.
import { errorText } from '../../../contract/errors.ts'
import { metaAfterTurn, type TurnEnd } from '../../../core/agh/session/end-of-turn.ts'
import { interruptedResult } from '../../../core/agh/session/interrupted-tool.ts'
import { grantsAfterTurn } from '../../../core/agh/session/permission-grants.ts'
import type { AghContext } from '../context.ts'
import { finishSession } from '../finish.ts'
import type { LiveSession } from '../live-session.ts'
import { saveMeta } from '../save-meta.ts'
import { cancelPermissions } from './permission-desk.ts'

/** Resolves when its end is on the disk, or when the session ends because it could not be written. */
export async function endTurn(context: AghContext, session: LiveSession, end: TurnEnd): Promise<void> {
  const running = session.turn
  if (!running) return
  const { turn } = running
  cancelPermissions(session.permissions)
  session.grants = grantsAfterTurn(session.grants)
  running.recorded = orFinish(context, session, async () => {
    if (end.interrupted) {
      for (const [callId, title] of turn.openTools) {
        session.store.append({ turn_id: turn.id, type: 'tool_result', content: interruptedResult(callId, title) })
      }
    }
    const recorded = session.store.appendDurable({ turn_id: turn.id, type: end.type, content: end.content })
    session.turn = null
    await recorded
    if (session.meta.state === 'active') saveMeta(context, session, metaAfterTurn(turn, end))
  })
  session.turn = null
  await running.recorded
}

/** A session whose history or metadata cannot be written must not go on as if it could. */
export async function orFinish(context: AghContext, session: LiveSession, write: () => Promise<void>): Promise<void> {
  // The session ends because of it: that is what its caller would do too.
  await orFinishAndFail(context, session, write).catch(() => undefined)
}

/** The same for a caller who answers somebody. */
export async function orFinishAndFail(
  context: AghContext,
  session: LiveSession,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write()
  } catch (error) {
    const detail = `its files cannot be written: ${errorText(error)}`
    void finishSession(context, session, { kind: 'internal', detail })
    throw error
  }
}
