// What takes long because there is much to do is waited for; a daemon that answers nobody any more is not.
import { AoError } from '../../contract/errors.ts'
import { askSocket } from './ask-socket.ts'

/** After so long without an answer, and as often, it is asked whether it still answers at all. */
const QUIET_MS = 5_000
/** A daemon under the heaviest load answers within a fraction of this. */
const FROZEN_MS = 15_000

/** `act` gets a signal that calls the request off. */
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
    // One that has ended ends the request too; only silence says nothing.
    if (signal.aborted) frozen.abort(noAnswer())
  }
}

function noAnswer(): AoError {
  return new AoError('TIMEOUT', `The agh daemon has answered nobody for ${FROZEN_MS / 1_000} s`, {
    hint: 'End it with: agh daemon stop. Its sessions are repaired at the next start',
  })
}
