// An active session with what reaches its agent: found once for an operation, and passed on.
import { AoError } from '../contract/errors.ts'
import { recordOf } from '../contract/record.ts'
import type { RuntimeHandle, Session } from '../contract/session.ts'
import { endedHint, isTerminalSession } from '../contract/status.ts'
import type { Agent } from '../slots/agent.ts'
import type { Runtime } from '../slots/runtime.ts'
import type { ManagerContext } from './context.ts'
import { agentOf } from './observe/agent-of.ts'
import type { FoundSession } from './observe/find-session.ts'

export interface ActiveSession extends FoundSession {
  /** As it was observed for this operation. */
  session: Session
  handle: RuntimeHandle
  runtime: Runtime
  /** null: its record names none, or the runtime speaks to it in events. */
  agent: Agent | null
}

/** Who gets a message or an answer. */
export type Addressee = Pick<ActiveSession, 'store' | 'session' | 'runtime' | 'agent'>

/** Throws SESSION_NOT_RUNNING when there is no agent to reach. */
export async function reachAgent(
  context: ManagerContext,
  found: FoundSession,
  session: Session,
): Promise<ActiveSession> {
  const handle = requireHandle(session)
  const runtime = await context.registry.load('runtime', handle.runtimeName)
  const agent = runtime.events ? null : await agentOf(context.registry, session)
  return { ...found, session, handle, runtime, agent }
}

function requireHandle(session: Session): RuntimeHandle {
  const { id, status, runtimeHandle } = session
  const details = { sessionId: id, status }
  // Between two agents: what is sent waits for the second.
  if (isTerminalSession(session) && recordOf(session).switchTo === undefined) {
    throw new AoError('SESSION_NOT_RUNNING', `Session ${id} is not running: its status is ${status}`, {
      hint: endedHint(id, status),
      details,
    })
  }
  if (runtimeHandle === null) {
    throw new AoError(
      'SESSION_NOT_RUNNING',
      `Session ${id} is ${status}, but its record names no runtime to send the message to`,
      { hint: `If it is still starting, try again in a moment; otherwise run: ao session kill ${id}`, details },
    )
  }
  return runtimeHandle
}
