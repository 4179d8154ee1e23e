// Holds an agent that runs `ao` inside its session to what its role may do.
import { AoError } from '../../contract/errors.ts'
import { type Caller, refuseCaller } from '../../core/session/caller-rights.ts'
import type { Io } from '../io.ts'
import type { RunOptions } from '../run.ts'

export function permitCaller(caller: Caller, io: Io): NonNullable<RunOptions['permit']> {
  // Whatever the agent made of these variables: from here on they say who it is.
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

/** Without a session they mean the one around them. */
const OWN_BY_DEFAULT: ReadonlySet<string> = new Set(['session claim-pr'])
