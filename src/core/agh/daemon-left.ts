// The answer to whoever wants something of a session that the next daemon continues.
import { AoError } from '../../contract/errors.ts'

/** Nothing was done, so it can be sent again. */
export function daemonLeft(detail = 'nothing was done'): AoError {
  return new AoError('DAEMON_NOT_RUNNING', `The agh daemon is ending and leaves its agents at work; ${detail}`, {
    hint: 'Send it again to the next daemon',
  })
}
