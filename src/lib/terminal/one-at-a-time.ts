// Whoever types into a terminal is alone with it, whichever process that is.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from '../lock.ts'

const WAIT_MS = 30_000

/** `name`: the runtime's own name of the session. */
export function oneAtATime<T>(home: string, name: string, action: () => Promise<T>): Promise<T> {
  const directory = join(home, '.ao', 'run')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return withLock(join(directory, `${name}.send`), action, { timeoutMs: WAIT_MS })
}
