// Restricts an agent that runs `ao` or `agh` inside its session to what the table allows.
import { AoError } from '../contract/errors.ts'
import { type Caller, refuseCommand } from '../core/boundary/rights.ts'
import type { Io } from './io.ts'
import type { RunOptions } from './run.ts'

/** null: a person, who may run everything. */
export function permitCaller(caller: Caller | null, program: 'ao' | 'agh', io: Io): Pick<RunOptions, 'permit'> {
  if (caller === null) return {}
  // Whatever the agent set these variables to: from here on they identify it.
  io.env = { ...io.env, ...identity(caller) }
  return {
    permit(command, args) {
      const session = typeof args.session === 'string' ? args.session : undefined
      const why = refuseCommand(caller, {
        program,
        command,
        session: session ?? (command.meansOwnSession ? caller.sessionId : undefined),
      })
      if (why === null) return
      throw new AoError('ROLE_REFUSED', why, {
        hint: caller.kind === 'agent' ? command.insideInstead : undefined,
        details: { command: command.name, session: caller.sessionId, role: caller.kind },
      })
    },
  }
}

function identity({ kind, sessionId, token }: Caller): NodeJS.ProcessEnv {
  const agh = token === null ? {} : { AGH_SESSION_TOKEN: token }
  if (kind === 'agent') return agh
  return { ...agh, AO_SESSION: sessionId, AO_CALLER_TYPE: kind === 'orchestrator' ? 'orchestrator' : 'agent' }
}
