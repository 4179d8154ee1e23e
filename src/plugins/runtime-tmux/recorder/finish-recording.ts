// The end of a recording, awaited by whoever ends the session: afterwards its last words can be read, and no recorder is left
// behind for a session that is gone.
import { sleep } from '../../../lib/clock.ts'
import { isHeld } from '../../../lib/lock.ts'
import type { PluginContext } from '../../../slots/plugin.ts'
import type { TmuxHandle } from '../pane-list.ts'
import { isRegistered, isStarting, listRegistrations, recorderLock, unregister } from './registrations.ts'

/** It takes a tenth of it. The session has ended in any case. */
const FINISH_MS = 3_000
const CHECK_MS = 20

/** The session itself is gone already. */
export async function finishRecording({ home, log }: PluginContext, handle: TmuxHandle): Promise<void> {
  if (!isRegistered(home, handle)) return
  const lock = recorderLock(home)
  const deadline = performance.now() + FINISH_MS
  for (;;) {
    const isAtWork = isHeld(lock)
    // Killed, or only just starting: there is nothing left for it to see.
    if (!isAtWork) unregister(home, handle)
    const isLeaving = listRegistrations(home).length === 0 && (isAtWork || isStarting(home))
    if (!isRegistered(home, handle) && !isLeaving) return
    if (performance.now() > deadline) {
      log.warn(`The recorder of terminals has not finished with ${handle.name} yet; it ends when it has`)
      return
    }
    await sleep(CHECK_MS)
  }
}
