import { describe, expect, it } from 'vitest'
import type { ExecResult } from '../lib/exec.ts'
import { contendedLock, isContention, queueForRepository, retryWhileLocked } from './git-locks.ts'

function failure(stderr: string): ExecResult {
  return { ok: false, exitCode: 128, signal: null, stdout: '', stderr, timedOut: false, startError: null }
}
const success: ExecResult = { ...failure(''), ok: true, exitCode: 0 }

describe('contention', () => {
  it.each([
    ["fatal: Unable to create '/r/.git/index.lock': File exists.\n\nAnother git process", '/r/.git/index.lock'],
    [
      "error: cannot lock ref 'refs/heads/a': Unable to create '/r/.git/refs/heads/a.lock': File exists.",
      '/r/.git/refs/heads/a.lock',
    ],
    ['error: could not lock config file .git/config: File exists', '.git/config.lock'],
  ])('F20 M10 %j is a lock of another process', (stderr, lock) => {
    expect(contendedLock(failure(stderr))).toBe(lock)
    expect(isContention(failure(stderr))).toBe(true)
  })

  it('M10 meeting a worktree that another git is writing passes in a moment', () => {
    const result = failure('fatal: failed to read .git/worktrees/app-22/commondir: Success')
    expect(isContention(result)).toBe(true)
    expect(contendedLock(result)).toBeNull()
  })

  it.each([
    "fatal: Unable to create '/r/.git/index.lock': Permission denied",
    "fatal: Unable to create '/r/.git/index.lock': No space left on device",
    "error: cannot lock ref 'refs/heads/a/b': 'refs/heads/a' exists; cannot create 'refs/heads/a/b'",
    "fatal: a branch named 'x.lock' already exists",
    'error: could not lock config file .git/config: Permission denied',
  ])('%j is not', (stderr) => {
    expect(isContention(failure(stderr))).toBe(false)
  })
})

describe('retryWhileLocked', () => {
  const locked = failure("fatal: Unable to create '/r/.git/index.lock': File exists.")

  it('runs again until the lock is gone', async () => {
    const results = [locked, locked, success]
    expect(await retryWhileLocked(async () => results.shift()!)).toBe(success)
    expect(results).toEqual([])
  })

  it('runs once when the failure is another one', async () => {
    let runs = 0
    await retryWhileLocked(async () => {
      runs++
      return failure('fatal: bad object')
    })
    expect(runs).toBe(1)
  })

  it('stops at its time limit', async () => {
    expect(await retryWhileLocked(async () => locked, 50)).toBe(locked)
  })
})

describe('queueForRepository', () => {
  it('runs the work of one repository in order and alone, of two repositories at the same time', async () => {
    const seen: string[] = []
    let active = 0
    const work = (name: string) => async () => {
      expect(++active).toBe(1)
      seen.push(name)
      await new Promise((resolve) => setImmediate(resolve))
      active--
    }
    await Promise.all(['a', 'b', 'c'].map((name) => queueForRepository('/one', work(name))))
    expect(seen).toEqual(['a', 'b', 'c'])
    let release: () => void = () => undefined
    const blocked = queueForRepository('/one', () => new Promise<void>((resolve) => (release = resolve)))
    await queueForRepository('/two', async () => seen.push('other'))
    expect(seen.at(-1)).toBe('other')
    release()
    await blocked
  })

  it('continues after a failure, which reaches only its own caller', async () => {
    const failing = queueForRepository('/one', async () => {
      throw new Error('no')
    })
    const next = queueForRepository('/one', async () => 'yes')
    await expect(failing).rejects.toThrow('no')
    expect(await next).toBe('yes')
  })
})
