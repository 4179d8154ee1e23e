// tmux (seen with 3.3a) crashes, and all agents end, when a session appears or disappears while a control client is just
// connecting: it writes the news to a client that it has not set up yet. So these three take turns, across all processes.
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AoError } from '../../../contract/errors.ts'
import { withLock } from '../../../lib/lock.ts'
import type { TmuxServer } from '../tmux-command.ts'

/** A process that hangs with the lock must not keep others from working: each of these takes a fraction of it. */
const TURN_MS = 5_000

export async function inTurn<T>(server: Pick<TmuxServer, 'configFile'>, act: () => Promise<T>): Promise<T> {
  const directory = dirname(server.configFile)
  const path = join(directory, 'tmux-turn.lock')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  try {
    return await withLock(path, act, { timeoutMs: TURN_MS })
  } catch (error) {
    if (!(error instanceof AoError) || error.code !== 'LOCK_TIMEOUT' || error.details.path !== path) throw error
    return act()
  }
}
