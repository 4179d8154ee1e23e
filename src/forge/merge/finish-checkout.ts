// A checkout that a merge was bringing along when its process or the machine died. Git writes the files before the index and syncs
// neither, so some are there already, or empty, or torn. Such a file holds nothing but bytes of the merged one and zeros: it is written
// again. Everything else in the checkout may be somebody's work and stays.
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { gitFailure, runGit, tryGit } from '../../git/git.ts'
import { locateGit } from '../../git/git-dir.ts'
import { contendedLock } from '../../git/git-locks.ts'
import { staysInside } from '../../lib/inside-directory.ts'
import { readBytes } from '../../lib/plain-file.ts'
import { removeFile } from '../../lib/remove.ts'
import type { LocalForge } from '../types.ts'
import { LOCK_WAIT_MS, type Move, verifiedObjects } from './base-checkout.ts'

export async function finishCheckout(forge: LocalForge, checkout: string, move: Move): Promise<void> {
  const { env } = forge.context
  const options = { env, extraEnv: await verifiedObjects(forge, move), lockWaitMs: LOCK_WAIT_MS }
  const isAt = async (commit: string) =>
    (await tryGit(checkout, ['diff-index', '--cached', '--quiet', commit, '--'], options)).ok
  const isBehind = await isAt(move.from)
  // Something is staged.
  if (!isBehind && !(await isAt(move.to))) return
  // What somebody has changed after git was done is theirs, whatever it looks like.
  const doneMs = isBehind ? Number.POSITIVE_INFINITY : indexWrittenMs(checkout) + GRACE_MS
  const refreshed = await tryGit(checkout, ['update-index', '-q', '--refresh'], options)
  if (contendedLock(refreshed) !== null) throw gitFailure(checkout, ['update-index'], refreshed)
  const found = await findChanged(checkout, { ...move, isBehind, doneMs }, options)
  const theirs = found.find(({ isLeft }) => !isLeft)
  // Git would write none of it.
  if (isBehind && theirs) throw new Error(`${theirs.path} has been changed since`)
  const paths = found.filter(({ isLeft }) => isLeft).map(({ path }) => path)
  for (const path of paths) removeFile(join(checkout, path))
  if (isBehind) await runGit(checkout, ['read-tree', '-m', '-u', move.from, move.to], options)
  else if (paths.length > 0)
    await runGit(checkout, ['checkout-index', '-q', '-f', '-u', '-z', '--stdin'], {
      ...options,
      input: `${paths.join('\0')}\0`,
    })
}

type Options = Parameters<typeof runGit>[2]

interface Changed {
  path: string
  /** A part of what the merge writes, or nothing. */
  isLeft: boolean
}

/** Of the files that the merge changes: those that are not as the index has them, or in the way of a new one. */
async function findChanged(
  checkout: string,
  { from, to, isBehind, doneMs }: Move & { isBehind: boolean; doneMs: number },
  options: Options,
): Promise<Changed[]> {
  const listed = await runGit(checkout, ['diff-tree', '-r', '-z', '--no-renames', '--name-status', from, to], options)
  // A submodule with changes of its own is not brought along, and keeps nothing else from it.
  const dirty = ['diff-files', '-z', '--name-only', '--ignore-submodules=dirty']
  const differing = new Set((await runGit(checkout, dirty, options)).split('\0'))
  // Their names cannot be told apart here.
  const strange = [...differing].find((path) => path.includes('\ufffd'))
  if (strange !== undefined) throw new Error(`${strange} has a name that is not UTF-8`)
  const found: Changed[] = []
  for (const [, status, path] of listed.matchAll(/([A-Z])\0([^\0]+)\0/g)) {
    const isThere = lstatSync(join(checkout, path!), { throwIfNoEntry: false }) !== undefined
    const isInTheWay = isBehind && status === 'A' && isThere
    if (!isInTheWay && !(differing.has(path!) && (isThere || status !== 'D'))) continue
    const mayBeLeft = status !== 'D' && changedMs(join(checkout, path!)) <= doneMs
    found.push({ path: path!, isLeft: mayBeLeft && (await isPart(checkout, { path: path!, to, isBehind }, options)) })
  }
  return found
}

function indexWrittenMs(checkout: string): number {
  const location = locateGit(checkout)
  return location === null ? 0 : changedMs(join(location.gitDir, 'index'))
}

/** What is gone says no time. */
function changedMs(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

const GRACE_MS = 2_000

/** Beyond this a person decides. */
const MOST_BYTES = 32 * 1024 * 1024

async function isPart(
  checkout: string,
  { path, to, isBehind }: { path: string; to: string; isBehind: boolean },
  options: Options,
): Promise<boolean> {
  if (!staysInside(checkout, path)) return false
  const stat = lstatSync(join(checkout, path), { throwIfNoEntry: false })
  if (stat === undefined) return true
  if (!stat.isFile() || stat.size > MOST_BYTES) return false
  const merged = await runGit(checkout, ['cat-file', '--filters', `${to}:${path}`], { ...options, encoding: 'latin1' })
  const now = readBytes(join(checkout, path), { maxBytes: MOST_BYTES })
  const bytes = Buffer.from(merged, 'latin1')
  // Whole, it differs in its mode alone.
  return holdsNothingElse(now, bytes) && (isBehind || !now.equals(bytes))
}

function holdsNothingElse(now: Buffer, merged: Buffer): boolean {
  return now.length <= merged.length && now.every((byte, at) => byte === 0 || byte === merged[at])
}
