// A loose ref without content, or with less than an object's name, is what a power loss leaves of one whose data had not reached
// the disk. Git refuses every command that touches it. It holds nothing, so it is treated as absent; a branch gets the last value of its reflog that is
// still there. The same of a worktree's link to its repository makes all commands about worktrees fail; it is always the same.
import { renameSync, statSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createFileExclusive, syncPath, writeFileAtomic } from '../lib/atomic-write.ts'
import type { ExecResult } from '../lib/exec.ts'
import { readIfReachable } from '../lib/plain-file.ts'

/** A server can write such a line, too: a name that leads out of the refs is none. */
const BROKEN = /unable to resolve reference '?(refs\/(?:heads|ao)\/(?!\S*\.\.)[^\s':]+)'?: reference broken/g

/** Refs that made this run fail. */
export function brokenRefs(result: ExecResult): string[] {
  if (result.ok || result.timedOut) return []
  return [...new Set([...result.stderr.matchAll(BROKEN)].map(([, ref]) => ref!))]
}

/** true: one of them was repaired, so the command may be repeated. `isCommit`: whether the repository has that commit. */
export async function mendRefs(
  commonDir: string,
  refs: readonly string[],
  isCommit: (id: string) => Promise<boolean>,
): Promise<boolean> {
  let mended = false
  for (const ref of refs) {
    const path = join(commonDir, ref)
    if (!isBlank(path)) continue
    const value = ref.startsWith('refs/heads/') ? await lastValue(commonDir, ref, isCommit) : null
    mended = (value === null ? removeBlank(path) : replaceBlank(path, value)) || mended
  }
  return mended
}

/** Another git that is just writing it needs no longer. */
const WRITING_MS = 2_000

/** true: a worktree's link to its repository was repaired, so the command may be repeated. */
export function mendLink(commonDir: string, { ok, stderr }: ExecResult): boolean {
  const name = ok ? undefined : /failed to read \S*worktrees\/([^/\n]+)\/commondir/.exec(stderr)?.[1]
  if (name === undefined || name === '..') return false
  const path = join(commonDir, 'worktrees', name, 'commondir')
  const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  if (written === undefined || Date.now() - written < WRITING_MS || !isBlank(path)) return false
  writeFileAtomic(path, '../..\n', { mode: 0o644 })
  return true
}

/** Zero bytes, nothing but NUL, or the beginning of an object's name. */
function isBlank(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile() || stat.size > 4096) return false
  return /^[0-9a-f]{0,39}[\0\s]*$/.test(readIfReachable(path) ?? 'gone')
}

async function lastValue(
  commonDir: string,
  ref: string,
  isCommit: (id: string) => Promise<boolean>,
): Promise<string | null> {
  const reflog = readIfReachable(join(commonDir, 'logs', ref)) ?? ''
  const values = [...reflog.matchAll(/^[0-9a-f]{40,64} ([0-9a-f]{40,64}) /gm)].map(([, value]) => value!)
  for (const value of values.reverse().slice(0, 20)) {
    if (!/^0+$/.test(value) && (await isCommit(value))) return value
  }
  return null
}

/** Under git's own lock for this ref. false: somebody else is changing it. */
function removeBlank(path: string): boolean {
  return withRefLock(path, '', (lock) => {
    unlinkSync(path)
    unlinkSync(lock)
  })
}

function replaceBlank(path: string, value: string): boolean {
  return withRefLock(path, `${value}\n`, (lock) => renameSync(lock, path))
}

function withRefLock(path: string, content: string, change: (lock: string) => void): boolean {
  const lock = `${path}.lock`
  if (!createFileExclusive(lock, content, { mode: 0o644 })) return false
  if (!isBlank(path)) {
    unlinkSync(lock)
    return false
  }
  change(lock)
  syncPath(dirname(path))
  return true
}
