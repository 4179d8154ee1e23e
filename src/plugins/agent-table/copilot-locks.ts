// Copilot marks a session that it has open with `inuse.{pid}.lock`, and asks before it resumes one whose pid exists: also where
// that is a zombie that nobody has collected, or another program that got the number after a reboot. Such marks are removed
// before a resume, as Copilot itself removes those whose pid is gone.
import { lstatSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { identify } from '../../lib/process/process-identity.ts'
import { listDirectory } from '../agent-files/list-directory.ts'

export async function removeDeadLocks(directory: string): Promise<void> {
  const bootedAt = Date.now() - uptime() * 1000
  for (const name of await listDirectory(directory)) {
    const pid = Number(/^inuse\.([1-9]\d{0,9})\.lock$/.exec(name)?.[1])
    if (!pid) continue
    const stats = lstatSync(join(directory, name), { throwIfNoEntry: false })
    if (!stats?.isFile() || (stats.mtimeMs >= bootedAt && mayBeAlive(pid))) continue
    // Where one stays, Copilot asks, which is seen.
    for (const gone of [name, `inuse.${pid}.hold`]) await unlink(join(directory, gone)).catch(() => undefined)
  }
}

function mayBeAlive(pid: number): boolean {
  try {
    return identify(pid) !== null
  } catch {
    // The system does not say.
    return true
  }
}
