// Which sessions the recorder has to record: a file each, written before the agent is started and removed after its end. The
// recorder may be killed at any moment; the next one continues with the same files.
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { RuntimeHandle } from '../../../contract/session.ts'
import { writeFileAtomic } from '../../../lib/atomic-write.ts'
import { systemClock } from '../../../lib/clock.ts'
import { namesIn, readIfThere } from '../../../lib/plain-file.ts'
import { removeFile } from '../../../lib/remove.ts'
import { readHandle, type TmuxHandle } from '../pane-list.ts'

export interface Registration {
  handle: RuntimeHandle
  target: TmuxHandle & { spawnId: string; stateDir: string }
}

export function registrationsDirectory(home: string): string {
  return join(home, '.ao', 'run', 'tmux-recorder')
}

/** One recorder for each home. */
export function recorderLock(home: string): string {
  return join(home, '.ao', 'run', 'tmux-recorder.lock')
}

export function recorderLog(home: string): string {
  return join(home, '.ao', 'run', 'tmux-recorder.log')
}

function startMark(home: string): string {
  return join(home, '.ao', 'run', 'tmux-recorder.starting')
}

/** One that is not at work by then never will be. */
const LONGEST_START_MS = 10_000

/** Before it is started; the recorder itself takes the mark away when it is at work. */
export function markStart(home: string): void {
  writeFileAtomic(startMark(home), '', { durable: false })
}

export function unmarkStart(home: string): void {
  removeFile(startMark(home))
}

export function isStarting(home: string): boolean {
  const startedAt = statSync(startMark(home), { throwIfNoEntry: false })?.mtimeMs
  return startedAt !== undefined && Math.abs(systemClock.now().getTime() - startedAt) < LONGEST_START_MS
}

export function register(home: string, handle: RuntimeHandle): void {
  const directory = registrationsDirectory(home)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeFileAtomic(fileOf(directory, readHandle(handle)), JSON.stringify(handle), { durable: false })
}

export function unregister(home: string, handle: TmuxHandle): void {
  removeFile(fileOf(registrationsDirectory(home), handle))
}

export function isRegistered(home: string, handle: TmuxHandle): boolean {
  return existsSync(fileOf(registrationsDirectory(home), handle))
}

/** Files that are none of ours are left alone. */
export function listRegistrations(home: string): Registration[] {
  const directory = registrationsDirectory(home)
  return namesIn(directory).flatMap((name) => {
    if (!name.endsWith('.json') || name.startsWith('.')) return []
    const found = parse(readIfThere(join(directory, name), { noFollow: true }))
    return found && fileOf(directory, found.target) === join(directory, name) ? [found] : []
  })
}

function parse(text: string | null): Registration | null {
  try {
    const handle = JSON.parse(text ?? 'null') as RuntimeHandle
    const target = readHandle(handle)
    const { spawnId, stateDir } = target
    return spawnId === undefined || stateDir === undefined ? null : { handle, target: { ...target, spawnId, stateDir } }
  } catch {
    // Half a file, or somebody else's: there is nothing to record.
    return null
  }
}

/** A restored session has the name of the one before it, whose end may not be recorded yet. */
function fileOf(directory: string, { name, spawnId }: TmuxHandle): string {
  return join(directory, `${name}.${spawnId ?? ''}.json`)
}
