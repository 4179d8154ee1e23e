// A request that takes long because there is much to do is waited for; a daemon that no longer answers anything is not.
import { AoError } from '../../contract/errors.ts'
import { askSocket } from '../../http/ask-socket.ts'

/** After this long without a response, and at this interval, the daemon is checked for whether it still answers at all. */
const QUIET_MS = 5_000
/** Even under the heaviest load a daemon answers within a fraction of this. */
const FROZEN_MS = 15_000

/** `act` gets a signal that aborts the request. */
export async function whileDaemonAnswers<T>(
  socket: string,
  given: AbortSignal | undefined,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const frozen = new AbortController()
  const signal = given ? AbortSignal.any([given, frozen.signal]) : frozen.signal
  const timer = setInterval(() => void checkAnswers(socket, frozen), QUIET_MS)
  try {
    return await act(signal)
  } finally {
    clearInterval(timer)
  }
}

async function checkAnswers(socket: string, frozen: AbortController): Promise<void> {
  const signal = AbortSignal.timeout(FROZEN_MS)
  try {
    await askSocket(socket, { method: 'GET', path: '/api/daemon/status', headers: {}, body: undefined, signal })
  } catch {
    // A daemon that has ended ends the request too; only silence proves nothing.
    if (signal.aborted) frozen.abort(noAnswer())
  }
}

function noAnswer(): AoError {
  return new AoError('TIMEOUT', `The agh daemon has answered nobody for ${FROZEN_MS / 1_000} s`, {
    hint: 'End it with: agh daemon stop. Its sessions are repaired at the next start',
  })
}
