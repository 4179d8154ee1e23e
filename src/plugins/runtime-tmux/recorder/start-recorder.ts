// Starts the recorder of tmux sessions unless it runs. Recording is never a reason for anything else to fail.
import { closeSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { RuntimeHandle } from '../../../contract/session.ts'
import { sleep } from '../../../lib/clock.ts'
import { isHeld } from '../../../lib/lock.ts'
import { openEmpty } from '../../../lib/plain-file.ts'
import { smallNode, startDetached } from '../../../lib/process/detached-host.ts'
import { ownProgram } from '../../../lib/process/own-program.ts'
import type { PluginContext } from '../../../slots/plugin.ts'
import type { TmuxHandle } from '../pane-list.ts'
import { environmentForTmux } from '../tmux-command.ts'
import {
  isRegistered,
  isStarting,
  listRegistrations,
  markStart,
  recorderLock,
  recorderLog,
  register,
  unmarkStart,
  unregister,
} from './registrations.ts'

function recorderProgram(): string {
  return ownProgram(import.meta.url, './recorder.ts', 'tmux-recorder.js')
}

export function recordSession(context: PluginContext, handle: RuntimeHandle): void {
  try {
    register(context.home, handle)
    startRecorder(context)
  } catch (error) {
    context.log.warn(`The terminal of ${handle.id} is not recorded: ${(error as Error).message}`)
  }
}

/** After the recorder was killed: sessions that it recorded are still registered. */
export function continueRecording(context: PluginContext): void {
  try {
    if (!isHeld(recorderLock(context.home)) && listRegistrations(context.home).length > 0) startRecorder(context)
  } catch (error) {
    context.log.warn(`The recorder of terminals was not started: ${(error as Error).message}`)
  }
}

function startRecorder({ home, env }: PluginContext): void {
  // One that is only starting finds everything that is registered by then: a hundred sessions at once start one recorder.
  if (isHeld(recorderLock(home)) || isStarting(home)) return
  mkdirSync(dirname(recorderLog(home)), { recursive: true, mode: 0o700 })
  const log = openEmpty(recorderLog(home))
  markStart(home)
  try {
    const argv = [...smallNode(192), recorderProgram(), home]
    const { child, pipe } = startDetached({ argv, env: environmentForTmux(env), log })
    // Nobody waits for it: without a recorder there is no recording, and nothing else is affected.
    pipe.destroy()
    child.on('error', () => unmarkStart(home))
    child.unref()
  } finally {
    closeSync(log)
  }
}

/** It takes a tenth of it. The session has ended in any case. */
const FINISH_MS = 3_000
const CHECK_MS = 20

/**
 * Awaited by whoever ends the session, which is gone already: afterwards its last words can be read, and no recorder is left
 * behind.
 */
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
