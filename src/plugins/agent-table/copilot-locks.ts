// Copilot marks a session that it has open with `inuse.{pid}.lock`, and asks before it resumes one whose pid exists: also where
// that is a zombie that nobody has collected, or another program that got the number after a reboot. Such marks are removed
// before a resume, as Copilot itself removes those whose pid is gone.
import { lstatSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { identify, startedAt } from '../../lib/process/process-identity.ts'
import { readProcessRow } from '../../lib/process/process-table.ts'
import { listDirectory } from '../agent-files/list-directory.ts'

export async function removeDeadLocks(directory: string): Promise<void> {
  for (const name of await listDirectory(directory)) {
    const pid = Number(/^inuse\.([1-9]\d{0,9})\.lock$/.exec(name)?.[1])
    if (!pid) continue
    const stats = lstatSync(join(directory, name), { throwIfNoEntry: false })
    if (!stats?.isFile() || mayHold(pid, stats.mtimeMs)) continue
    // Where one stays, Copilot asks, which is seen.
    for (const gone of [name, `inuse.${pid}.hold`]) await unlink(join(directory, gone)).catch(() => undefined)
  }
}

/** More than times of files and processes are rounded by. */
const ROUNDED_MS = 2_000

/** Whoever started after the lock was written did not write it. The clock may have been set since, so a Copilot is never taken for another. */
function mayHold(pid: number, lockedAt: number): boolean {
  try {
    const identity = identify(pid)
    if (identity === null) return false
    const started = startedAt(identity)
    return started === null || started <= lockedAt + ROUNDED_MS || mayBeCopilot(pid)
  } catch {
    // The system does not say.
    return true
  }
}

/** Elsewhere than on Linux the system notes when a process started by the clock of then, as it does for the lock. */
function mayBeCopilot(pid: number): boolean {
  if (process.platform !== 'linux') return false
  const line = readProcessRow(pid)?.commandLine() ?? ''
  return line === '' || /copilot/i.test(line)
}
