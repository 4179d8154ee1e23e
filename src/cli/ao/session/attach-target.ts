// How to get into a running session: from its runtime, or why that is not possible now.
import { AoError } from '../../../contract/errors.ts'
import type { Session } from '../../../contract/session.ts'
import { endedHint, isTerminalSession } from '../../../contract/status.ts'
import type { TerminalTarget } from '../../../slots/terminal.ts'
import type { Ao } from '../open-ao.ts'

export async function attachTarget(
  ao: Ao,
  session: Session,
  options: { readOnly?: boolean } = {},
): Promise<TerminalTarget> {
  const { id, runtimeHandle } = session
  if (runtimeHandle === null || isTerminalSession(session)) {
    throw new AoError('SESSION_NOT_RUNNING', `Session ${id} is not running: its status is ${session.status}`, {
      hint: endedHint(id, session.status),
      details: { sessionId: id, status: session.status },
    })
  }
  const runtime = await ao.registry.load('runtime', runtimeHandle.runtimeName)
  const attach = await runtime.getAttachInfo?.(runtimeHandle)
  if (!attach) throw cannot(`The ${runtime.name} runtime cannot be attached to`)
  if (!options.readOnly) return { session, attach }
  if (!attach.readOnlyCommand) throw cannot(`The ${runtime.name} runtime has no read-only view`)
  return { session, attach: { ...attach, command: attach.readOnlyCommand } }
}

function cannot(message: string): AoError {
  return new AoError('USAGE', message, { hint: 'Look at its history with: ao session show <session>' })
}
