// Which of several connections to a machine a channel uses. sshd allows ten channels over one connection (MaxSessions), so each
// connection has eight slots, for all processes at home together; the ninth channel takes the next connection. A slot is a lock,
// so whoever dies frees it.
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { isHeld, withFreeLock } from '../../lib/lock.ts'

const PER_CONNECTION = 8
const MOST = 64 * PER_CONNECTION

interface Slot {
  /** Counted from 0. */
  connection: number
  release(): void
}

/** `directory` must exist. */
export async function takeSlot(directory: string, name: string): Promise<Slot> {
  for (let n = 0; n < MOST; n++) {
    const lock = join(directory, `${name}.slot-${n}`)
    const release = isHeld(lock) ? null : await hold(lock)
    if (release) return { connection: Math.floor(n / PER_CONNECTION), release }
  }
  throw new AoError('PLACE_FULL', `More than ${MOST} channels to one machine are open`)
}

/** null: somebody else was faster. */
function hold(lock: string): Promise<(() => void) | null> {
  const held = Promise.withResolvers<void>()
  return new Promise((resolve, reject) => {
    const own = async () => {
      resolve(held.resolve)
      await held.promise
    }
    withFreeLock(lock, own).then((taken) => taken === null && resolve(null), reject)
  })
}
