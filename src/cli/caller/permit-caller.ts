// Restricts an agent that runs `ao` or `agh` inside its session to what the table allows.
import { AoError } from '../../contract/errors.ts'
import { type Caller, insteadOf, refuseCommand } from '../../core/boundary/inside-commands.ts'
import type { Io } from '../io.ts'
import type { RunOptions } from '../run.ts'

/** null: a person, who may run everything. */
export function permitCaller(caller: Caller | null, program: 'ao' | 'agh', io: Io): Pick<RunOptions, 'permit'> {
  if (caller === null) return {}
  // Whatever the agent set these variables to: from here on they identify it.
  io.env = { ...io.env, ...identity(caller) }
  return {
    permit(command, args) {
      const named =
        typeof args.session === 'string' ? args.session : OWN_BY_DEFAULT.has(command) ? caller.sessionId : undefined
      const why = refuseCommand(caller, { program, command, session: named })
      if (why === null) return
      const hint = insteadOf(program, command, caller)
      throw new AoError('ROLE_REFUSED', why, {
        hint,
        details: { command, session: caller.sessionId, role: caller.kind },
      })
    },
  }
}

function identity({ kind, sessionId, token }: Caller): NodeJS.ProcessEnv {
  const agh = token === null ? {} : { AGH_SESSION_TOKEN: token }
  if (kind === 'agent') return agh
  return { ...agh, AO_SESSION: sessionId, AO_CALLER_TYPE: kind === 'orchestrator' ? 'orchestrator' : 'agent' }
}

/** Without a session they mean the surrounding one. */
const OWN_BY_DEFAULT: ReadonlySet<string> = new Set(['session claim-pr'])
