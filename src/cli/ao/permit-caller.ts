// Restricts an agent that runs `ao` inside its session to what its role may do.
import { AoError } from '../../contract/errors.ts'
import { type Caller, refuseCaller } from '../../core/session/caller-rights.ts'
import type { Io } from '../io.ts'
import type { RunOptions } from '../run.ts'

export function permitCaller(caller: Caller, io: Io): NonNullable<RunOptions['permit']> {
  // Whatever the agent set these variables to: from here on they identify it.
  io.env = {
    ...io.env,
    AO_SESSION: caller.sessionId,
    AO_CALLER_TYPE: caller.role === 'orchestrator' ? 'orchestrator' : 'agent',
  }
  return (command, args) => {
    const named =
      typeof args.session === 'string' ? args.session : OWN_BY_DEFAULT.has(command) ? caller.sessionId : undefined
    const why = refuseCaller(caller, command, named)
    if (why === null) return
    throw new AoError('ROLE_REFUSED', why, { details: { command, session: caller.sessionId, role: caller.role } })
  }
}

/** Without a session they mean the surrounding one. */
const OWN_BY_DEFAULT: ReadonlySet<string> = new Set(['session claim-pr'])
