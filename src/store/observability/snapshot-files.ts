// The snapshot files of all processes: listing them, checking whether their process is running, and removing those whose
// process is gone.
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { namesIn, readPlainText } from '../../lib/plain-file.ts'
import { identify, type ProcessState, parseIdentity, processState } from '../../lib/process/process-identity.ts'
import type { AoPaths } from '../paths.ts'

/** A short command's snapshot must stay readable after it ends: the newest files stay for a day, whoever wrote them. */
const KEEP_NEWEST = 20
const KEEP_MS = 24 * 60 * 60 * 1000
/** A writer needs its temporary file for milliseconds; an old one belongs to a killed writer. */
const KEEP_TEMPORARY_MS = 10 * 60 * 1000

/** Returns what was removed. Files of running processes, and of those that cannot be judged, stay. */
export function removeDeadSnapshots(paths: Pick<AoPaths, 'observability'>, clock: Clock): string[] {
  const now = clock.now().getTime()
  const names = namesIn(paths.observability)
  const stale = names
    .filter((name) => name.startsWith('.') && name.endsWith('.tmp'))
    .map((name) => join(paths.observability, name))
    .filter((file) => now - (modifiedAt(file) ?? now) > KEEP_TEMPORARY_MS)
  const dead = names
    .filter(isSnapshotName)
    .map((name) => ({ name, file: join(paths.observability, name) }))
    .map((one) => ({ ...one, at: modifiedAt(one.file) ?? now }))
    .sort((a, b) => b.at - a.at)
    .filter(({ at }, index) => index >= KEEP_NEWEST || now - at > KEEP_MS)
    .filter(({ name, file }) => writerState(name, identityIn(file)) === 'dead')
    .map(({ file }) => file)
  for (const file of [...stale, ...dead]) rmSync(file, { force: true })
  return [...stale, ...dead]
}

export function listSnapshotNames(paths: Pick<AoPaths, 'observability'>): string[] {
  return namesIn(paths.observability).filter(isSnapshotName)
}

/** Is the process that wrote this file still running? */
export function writerState(name: string, identity: string | null): ProcessState {
  const parsed = identity === null ? null : parseIdentity(identity)
  if (parsed !== null) return processState(parsed)
  // Without an identity only the pid in the name is left, and it can prove only one thing: that no process has it.
  const pid = Number(/-(\d+)\.json$/.exec(name)?.[1])
  try {
    return identify(pid) === null ? 'dead' : 'unknown'
  } catch {
    return 'unknown'
  }
}

function identityIn(file: string): string | null {
  try {
    const { process } = JSON.parse(readPlainText(file)) as { process?: unknown }
    return typeof process === 'string' ? process : null
  } catch {
    // Damaged or gone: the name has to suffice.
    return null
  }
}

function isSnapshotName(name: string): boolean {
  return /^[^.].*-\d+\.json$/.test(name)
}

function modifiedAt(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null
}
