// A lock that Node and shell scripts share: a symbolic link whose target names its owner.
//
// symlink(2) is atomic, exclusive and carries the owner in the same step. An owner is (pid, start, boot), so a lock is
// stale only when that very process is gone; age says nothing. Taking over a dead owner's lock is itself exclusive:
// the right to remove it is the link `{lock}.break.{owner}`, and if its holder dies too, the right to that one, and so on.
// Only the living end of this chain removes the lock, so two processes can never both believe they did.
//
// An owner may keep one unfinished file, `{lock}.scratch.{owner}`. It is removed before a dead owner's lock is, so that
// nothing a dead shell left running (its `mv`) can still publish the file when the next owner is at work.
//
// Who has waited long draws a ticket (lock-queue.ts), and the others let it go first: that is courtesy, not exclusion.
// `ao-lock.sh` follows the same rules. All owners live on one machine.
import { readdirSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AoError } from '../contract/errors.ts'
import { sleep } from './clock.ts'
import { failpoint } from './failpoint.ts'
import { joinQueue } from './lock/lock-queue.ts'
import { joinTurns, type Turn } from './lock/lock-turns.ts'
import { createTurns } from './lock/turns.ts'
import { currentProcess, formatIdentity, mayBeAlive } from './process/process-identity.ts'

export interface LockOptions {
  timeoutMs?: number
  /** Its turn among those who want the lock in order: nobody who came earlier and waits is overtaken. */
  turn?: Turn | undefined
}

const DEFAULT_TIMEOUT_MS = 10_000

/** Callers in this process get a lock in the order they asked. */
const turns = createTurns()

/** Runs `critical` while nothing else holds the lock at `path`, in this process or another. Its directory must exist. */
export async function withLock<T>(path: string, critical: () => T | Promise<T>, options: LockOptions = {}): Promise<T> {
  const deadline = performance.now() + (options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  const leaveQueue = await waitForTurn(path, deadline)
  try {
    await acquire(path, deadline, options.turn)
    try {
      return await critical()
    } finally {
      release(path)
    }
  } finally {
    leaveQueue()
  }
}

/** The same, unless somebody else holds the lock: then null, and nothing was done. */
export async function withFreeLock<T>(path: string, critical: () => Promise<T>): Promise<{ result: T } | null> {
  let isOurs = false
  const own = () => {
    isOurs = true
    return critical()
  }
  try {
    return { result: await withLock(path, own, { timeoutMs: 50 }) }
  } catch (error) {
    // Locks that the work itself waited for are its own affair.
    if (!isOurs && error instanceof AoError && error.code === 'LOCK_TIMEOUT') return null
    throw error
  }
}

/**
 * Taken before what has to be done first: whoever takes a later one waits until this one is left. Its directory must exist.
 * `since`: milliseconds since the epoch.
 */
export function takeTurn(path: string, since: number): Turn {
  return joinTurns(path, ownName(), since)
}

/** `pid:start:boot` of whoever holds it, dead or alive; null: it is free, or no lock. */
export function lockOwner(path: string): string | null {
  try {
    return readOwner(path)
  } catch {
    // Not a lock, or not readable: nobody is known.
    return null
  }
}

/** A possibly live process holds it now. Only a hint: it may change the next moment. */
export function isHeld(path: string): boolean {
  const owner = readOwner(path)
  return owner !== null && mayBeAlive(owner)
}

/** The one file that the holder of this lock may leave unfinished. */
export function scratchFile(lockPath: string): string {
  return scratchOf(lockPath, ownName())
}

async function waitForTurn(path: string, deadline: number): Promise<() => void> {
  const { before, leave } = turns.join(path)
  if (await settlesBefore(before, deadline)) return leave
  // Those after us still wait for `before`; only our own turn is dropped.
  leave()
  throw lockTimeout(path, ownName())
}

async function settlesBefore(promise: Promise<void>, deadline: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, deadline - performance.now()))
  })
  const settled = await Promise.race([promise.then(() => true), timeout])
  clearTimeout(timer)
  return settled
}

async function acquire(path: string, deadline: number, turn?: Turn): Promise<void> {
  const queue = joinQueue(path, ownName())
  try {
    for (let attempt = 0; ; attempt++) {
      const mustWait = queue.mustLetOthersGo() || turn?.mustLetOthersGo() === true
      const owner = readOwner(path)
      const isFree = owner === null || (!mayBeAlive(owner) && breakDeadLock(path, owner))
      if (isFree && !mustWait && tryLink(path)) {
        if (owner !== null) removeDeadRights(path)
        return
      }
      if (performance.now() > deadline) throw lockTimeout(path, owner)
      await pause(queue.hasTicket() && !mustWait ? 0 : attempt)
      // A ticket beside a turn could be before those who came earlier: both would wait for each other.
      if (!turn) queue.keepTurn()
    }
  } finally {
    queue.leave()
  }
}

/** A lock that is no longer ours (removed by hand) is left alone. */
function release(path: string): void {
  if (readOwner(path) === ownName()) unlinkSync(path)
}

/** Removes the lock of a dead owner if that right is ours. true: try again immediately. */
function breakDeadLock(path: string, deadOwner: string): boolean {
  const rights = acquireBreakRight(path, deadOwner)
  if (rights === null) return false
  failpoint('lock.right-taken')
  // Only now is the owner known for certain: the previous holder of the right may have removed the lock already.
  if (readOwner(path) === deadOwner) {
    unlinkIfThere(scratchOf(path, deadOwner))
    unlinkIfThere(path)
  }
  failpoint('lock.removed')
  // A dead owner never comes back, so once its lock is gone the rights to it are void.
  for (const right of rights) unlinkIfThere(right)
  return true
}

/** Follows the chain of rights to the first one we can create; null while a live process holds it. */
function acquireBreakRight(path: string, deadOwner: string): string[] | null {
  const rights: string[] = []
  let owner = deadOwner
  while (rights.length < 64) {
    const right = `${path}.break.${fileNameOf(owner)}`
    rights.push(right)
    if (tryLink(right)) return rights
    const holder = readOwner(right)
    if (holder === null || mayBeAlive(holder)) return null
    owner = holder
  }
  return null
}

/** While the lock is ours no dead owner has it, so the rights that died with their holders are void. */
function removeDeadRights(path: string): void {
  const prefix = `${basename(path)}.break.`
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(prefix)) continue
    const right = join(dirname(path), name)
    const holder = readOwner(right)
    if (holder !== null && !mayBeAlive(holder)) unlinkIfThere(right)
  }
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
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    if (code !== 'EINVAL') throw error
    throw new AoError('FILE_UNUSABLE', `${path} is not a lock of ao, but is in the place of one`, {
      hint: `See what is there with: ls -ld ${path}`,
      details: { path },
      cause: error,
    })
  }
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function scratchOf(path: string, owner: string): string {
  return `${path}.scratch.${fileNameOf(owner)}`
}

function fileNameOf(owner: string): string {
  return owner.replaceAll('/', '_')
}

function ownName(): string {
  return formatIdentity(currentProcess())
}

function lockTimeout(path: string, owner: string | null): AoError {
  return new AoError('LOCK_TIMEOUT', `The lock ${path} is held by process ${owner?.split(':')[0] ?? 'unknown'}`, {
    hint: 'If that process hangs, end it and try again',
    details: { path, owner },
  })
}

/** Short at first, and for the next in the queue. */
function pause(attempt: number): Promise<void> {
  const base = Math.min(1 + attempt, 20)
  return sleep(base / 2 + Math.random() * base)
}
