// The ends of a turn: by the agent's answer, by a hook that denies it, or because the agent can answer no more. Each is on the
// disk before anybody sees it.
import { errorText } from '../../../contract/errors.ts'
import { classifyFailure, type FailureEvidence } from '../../../core/agh/session/classify-failure.ts'
import { describeExit } from '../../../core/agh/session/classify-stop.ts'
import type { AghContext } from '../context.ts'
import { secretsOf, summarizeFailure } from '../crash-bundle.ts'
import { finishSession } from '../finish.ts'
import type { LiveSession } from '../live-session.ts'
import { saveMeta } from '../save-meta.ts'
import { exitSoon } from '../start/attempt.ts'
import { cancelPermissions } from './permission-desk.ts'

export function endTurn(context: AghContext, session: LiveSession, type: 'done' | 'error', content: object): void {
  const running = session.turn
  if (!running) return
  cancelPermissions(session.permissions)
  orFinish(context, session, () => {
    session.store.appendDurable({ turn_id: running.turn.id, type, content })
    session.turn = null
    if (session.meta.state !== 'active') return
    saveMeta(context, session, { activity: null, ...(type === 'done' ? { failure: null, preface: [] } : {}) })
  })
  session.turn = null
}

export function denyTurn(context: AghContext, session: LiveSession, why: string): void {
  const failure = summarizeFailure('permission_failure', why, secretsOf(context, session))
  endTurn(context, session, 'error', { error: failure.summary, failure })
  void finishSession(context, session, { kind: 'hook_denied', detail: why })
}

/** The agent can answer no more. */
export async function loseTurn(context: AghContext, session: LiveSession, why: string): Promise<void> {
  const exit = await exitSoon(session)
  const evidence: FailureEvidence = {
    phase: 'prompt',
    exited: exit !== null,
    transportClosed: true,
    canceled: session.turn?.turn.cancel?.why === 'stop',
  }
  const error = exit ? describeExit(exit) : why
  const failure = summarizeFailure(classifyFailure(evidence), error, secretsOf(context, session))
  endTurn(context, session, 'error', { error: failure.summary, failure })
}

/** A session whose history or metadata cannot be written must not go on as if it could. */
export function orFinish(context: AghContext, session: LiveSession, write: () => void): void {
  try {
    write()
  } catch (error) {
    const detail = `its files cannot be written: ${errorText(error)}`
    void finishSession(context, session, { kind: 'internal', detail })
  }
}
