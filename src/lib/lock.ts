// A lock that Node and shell scripts share: a symbolic link whose target names its owner.
//
// symlink(2) is atomic, exclusive and carries the owner in the same step. An owner is (pid, start, boot), so a lock is
// stale only when that very process is gone; age says nothing. Taking over a dead owner's lock is itself exclusive:
// the right to remove it is the link `{lock}.break.{owner}`, and if its holder dies too, the right to that one, and so on.
// Only the living end of this chain removes the lock, so two processes can never both believe they did.
// `ao-metadata-helper.sh` follows the same rules.
import { readlinkSync, symlinkSync, unlinkSync } from 'node:fs'
import { AoError } from '../contract/errors.ts'
import { currentProcess, formatIdentity, parseIdentity, processState } from './process-identity.ts'

export interface LockOptions {
  timeoutMs?: number
}

const DEFAULT_TIMEOUT_MS = 10_000

/** Locks this process holds now: a second taker inside it must wait as any other would. */
const heldHere = new Map<string, Promise<void>>()

/** Runs `critical` while no other process holds the lock at `path`. Its directory must exist. */
export async function withLock<T>(path: string, critical: () => T | Promise<T>, options: LockOptions = {}): Promise<T> {
  const before = heldHere.get(path) ?? Promise.resolve()
  let done: () => void = () => undefined
  const mine = new Promise<void>((resolve) => {
    done = resolve
  })
  const queue = before.then(() => mine)
  heldHere.set(path, queue)
  await before
  try {
    await acquire(path, options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
    try {
      return await critical()
    } finally {
      release(path)
    }
  } finally {
    done()
    if (heldHere.get(path) === queue) heldHere.delete(path)
  }
}

async function acquire(path: string, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs
  for (let attempt = 0; ; attempt++) {
    if (tryLink(path)) return
    const owner = readOwner(path)
    if (owner !== null && isDead(owner) && breakDeadLock(path, owner)) continue
    if (performance.now() > deadline) {
      throw new AoError('LOCK_TIMEOUT', `The lock ${path} is held by process ${owner?.split(':')[0] ?? 'unknown'}`, {
        hint: 'If that process hangs, end it and try again',
        details: { path, owner },
      })
    }
    await pause(attempt)
  }
}

function release(path: string): void {
  unlinkSync(path)
}

/** Removes the lock of a dead owner if that right is ours. true: look again at once. */
function breakDeadLock(path: string, deadOwner: string): boolean {
  const rights = acquireBreakRight(path, deadOwner)
  if (rights === null) return false
  // Only now is the owner read for certain: whoever held the right before may have removed the lock already.
  if (readOwner(path) === deadOwner) unlinkIfThere(path)
  // A dead owner never comes back, so once its lock is gone the rights to it mean nothing.
  for (const right of rights) unlinkIfThere(right)
  return true
}

/** Follows the chain of rights to the first one we can create; null while a living process holds it. */
function acquireBreakRight(path: string, deadOwner: string): string[] | null {
  const rights: string[] = []
  let owner = deadOwner
  while (rights.length < 64) {
    const right = `${path}.break.${owner.replaceAll('/', '_')}`
    rights.push(right)
    if (tryLink(right)) return rights
    const holder = readOwner(right)
    if (holder === null || !isDead(holder)) return null
    owner = holder
  }
  return null
}

function isDead(owner: string): boolean {
  const identity = parseIdentity(owner)
  // A target that names no process was not made by us; it is nobody's and would block for ever.
  return identity === null || processState(identity) === 'dead'
}

function tryLink(path: string): boolean {
  try {
    symlinkSync(ownName(), path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function readOwner(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT') return null
    throw error
  }
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function ownName(): string {
  return formatIdentity(currentProcess())
}

function pause(attempt: number): Promise<void> {
  const base = Math.min(1 + attempt, 20)
  return new Promise((resolve) => setTimeout(resolve, base / 2 + Math.random() * base))
}
