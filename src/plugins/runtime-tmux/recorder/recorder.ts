// The recorder of tmux sessions, a program: `tmux-recorder <home>`. One process for all of them, which sees what a viewer in a
// browser sees. It ends when there is nothing left to record, and nobody waits for it.
import { dirname } from 'node:path'
import { errorText } from '../../../contract/errors.ts'
import { sleep } from '../../../lib/clock.ts'
import { isHeld, withLock } from '../../../lib/lock.ts'
import { createLog } from '../../../lib/log.ts'
import { watchIfPossible } from '../../../lib/watch-if-possible.ts'
import type { Runtime } from '../../../slots/runtime.ts'
import { plugin } from '../index.ts'
import { recordPane } from './record-pane.ts'
import { listRegistrations, recorderLock, registrationsDirectory, unmarkStart } from './registrations.ts'

/** New sessions are noticed at once where directories can be watched. */
const POLL_MS = 2_000
const AFTER_FAILURE_MS = 60_000

const log = createLog('warn', (line) => void process.stderr.write(line))

async function run(home: string): Promise<void> {
  const lock = recorderLock(home)
  for (;;) {
    try {
      await withLock(lock, () => recordAll(home), { timeoutMs: 0 })
    } catch (error) {
      unmarkStart(home)
      // Another one is at work.
      if (isHeld(lock)) return
      throw error
    }
    // Registered in the moment in which we left: whoever did it saw that the lock was held.
    if (listRegistrations(home).length === 0) return
  }
}

async function recordAll(home: string): Promise<void> {
  unmarkStart(home)
  const runtime = openRuntime(home)
  const active = new Map<string, Promise<void>>()
  let wake: () => void = () => undefined
  const watch = watchIfPossible(registrationsDirectory(home), () => wake())
  try {
    for (;;) {
      for (const registration of listRegistrations(home)) {
        const { name, spawnId } = registration.target
        const key = `${name} ${spawnId}`
        if (active.has(key)) continue
        const over = recordPane(runtime, registration, home)
          // The others are recorded all the same.
          .catch(async (error) => {
            log.warn(`the terminal of ${name} is not recorded now: ${errorText(error)}`)
            await sleep(AFTER_FAILURE_MS, { ref: false })
          })
          .finally(() => {
            active.delete(key)
            wake()
          })
        active.set(key, over)
      }
      if (active.size === 0) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, POLL_MS)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  } finally {
    watch?.close()
  }
}

function openRuntime(home: string): Runtime {
  return plugin.create({}, { home, env: process.env, log, configDir: dirname(home), dataDir: home })
}

await run(process.argv[2] ?? '')
// A control client that does not end is no reason to stay.
process.exit(0)
