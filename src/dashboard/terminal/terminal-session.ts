// The live terminal of a session, from its runtime, whatever that is.
import { AoError } from '../../contract/errors.ts'
import type { ManagerContext } from '../../manager/context.ts'
import type { SessionManager } from '../../manager/session-manager.ts'
import type { LiveTerminal, TerminalViewer } from '../../slots/runtime.ts'

export interface TerminalContext extends Pick<ManagerContext, 'registry'> {
  manager: Pick<SessionManager, 'get'>
}

/** Throws, with a message for people, when there is nothing to show. */
export async function openSessionTerminal(
  { registry, manager }: TerminalContext,
  sessionId: string,
  viewer: TerminalViewer,
): Promise<LiveTerminal> {
  const session = await manager.get(sessionId)
  if (!session) throw new AoError('SESSION_NOT_FOUND', `There is no session ${sessionId}`)
  const handle = session.runtimeHandle
  if (!handle) throw new AoError('SESSION_NOT_RUNNING', `Session ${sessionId} has no terminal: it was never started`)
  const runtime = await registry.load('runtime', handle.runtimeName)
  if (runtime.openTerminal) return runtime.openTerminal(handle, viewer)
  throw new AoError('SESSION_NOT_RUNNING', `Sessions of the runtime ${runtime.name} have no terminal to show`)
}
