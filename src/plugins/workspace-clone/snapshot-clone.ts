// Saves a clone before it is removed. Its branches return to the project's repository; what cannot go there as a branch
// (uncommitted work, stashes, rewritten or conflicting branches) goes there as a rescue.
import { existsSync } from 'node:fs'
import { AoError, errorText } from '../../contract/errors.ts'
import { whereCheckedOut } from '../../git/checkouts.ts'
import { gitFailure } from '../../git/git.ts'
import { type Repository, resolveRef, tryGitOn } from '../../git/repository.ts'
import { settleApplied } from '../../git/rescue/keep-restored.ts'
import type { LooseRef } from '../../git/rescue/rescue-state.ts'
import { saveRescue } from '../../git/rescue/save-rescue.ts'
import { type Checkout, gitIn, gitLines, openCheckout } from '../../git/workspace/checkout.ts'
import { endOrphanedGit } from '../../git/workspace/own-git.ts'
import {
  isUnfinished,
  markedEnv,
  readMarker,
  readRecord,
  updateRecord,
  type WorkspaceRecord,
} from '../../git/workspace/record.ts'
import type { Rescue } from '../../slots/workspace.ts'

export async function snapshotClone(path: string, sessionId: string, env: NodeJS.ProcessEnv): Promise<Rescue | null> {
  // Nobody has worked in an unfinished one: it must not replace the saved work.
  if (!existsSync(path) || isUnfinished(path)) return null
  const marked = markedEnv(path, env)
  const checkout = openCheckout(path, marked)
  const record = readRecord(path) ?? (checkout && readMarker(checkout.gitDir))
  if (checkout === null || record === null) throw notSaved(path, 'it is not a clone that ao made')
  if (!existsSync(record.repository)) throw notSaved(path, `its project ${record.repository} no longer exists`)
  const store: Repository = { commonDir: record.repository, env: marked }
  await endOrphanedGit(path, record)
  try {
    await settleApplied(path, sessionId, store)
    await exportBranches(checkout, store, record)
    const looseRefs = await findLooseRefs(checkout, store)
    return await saveRescue({ checkout, sessionId, store, looseRefs, publish: publishTo(store, checkout) })
  } catch (error) {
    if (error instanceof AoError && error.code === 'WORKSPACE_NOT_SAVED') throw error
    throw notSaved(path, errorText(error))
  }
}

/** Copies branches and tags into the project, as far as nothing there is overwritten. */
async function exportBranches(checkout: Checkout, store: Repository, record: WorkspaceRecord): Promise<void> {
  const own = `refs/heads/${record.branch}`
  const refspecs: string[] = []
  for (const { ref, id } of await listRefs(checkout, ['refs/heads', 'refs/tags'])) {
    const there = await resolveRef(store, ref)
    if (there === id || isCheckedOut(store, ref)) continue
    // Only this session has moved its branch: the agent is free to rebase it.
    const mayRewrite = ref === own && there === record.base
    refspecs.push(`${mayRewrite ? '+' : ''}${ref}:${ref}`)
  }
  // Some may be refused; findLooseRefs detects which.
  if (refspecs.length > 0) await tryGitOn(store, fetchFrom(checkout.path, refspecs))
  const tip = await resolveRef(store, own)
  if (tip !== null) updateRecord(checkout.path, { ...record, base: tip })
}

/** Refs with commits that the project does not have. */
async function findLooseRefs(checkout: Checkout, store: Repository): Promise<LooseRef[]> {
  const loose: LooseRef[] = []
  for (const one of await listRefs(checkout, ['refs/heads', 'refs/tags'])) {
    if (!(await isHeld(store, one.id))) loose.push(one)
  }
  if ((await resolveRef(checkout, 'refs/stash')) === null) return loose
  const stashes = await gitLines(checkout, ['stash', 'list', '--format=%H'], { read: true })
  // Oldest first, the order in which they are restored.
  return [...loose, ...stashes.reverse().map((id) => ({ ref: 'refs/stash', id }))]
}

async function isHeld(store: Repository, id: string): Promise<boolean> {
  const args = ['rev-list', '--max-count=1', id, '--not', '--branches', '--remotes', '--tags']
  const unheld = await tryGitOn(store, args, { read: true })
  return unheld.ok && unheld.stdout.trim() === ''
}

function publishTo(store: Repository, checkout: Checkout): (ref: string, commit: string) => Promise<void> {
  return async (ref, commit) => {
    await gitIn(checkout, ['update-ref', ref, commit])
    const args = fetchFrom(checkout.path, [`${ref}:${ref}`])
    const fetched = await tryGitOn(store, args, { timeoutMs: 10 * 60_000 })
    if (!fetched.ok || (await resolveRef(store, ref)) !== commit) throw gitFailure(store.commonDir, args, fetched)
  }
}

export function fetchFrom(source: string, refspecs: string[]): string[] {
  const quietly = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules']
  return ['-c', 'protocol.file.allow=always', ...quietly, source, ...refspecs]
}

async function listRefs(checkout: Checkout, patterns: string[]): Promise<LooseRef[]> {
  const lines = await gitLines(checkout, ['for-each-ref', '--format=%(objectname) %(refname)', ...patterns], {
    read: true,
  })
  return lines.map((line) => ({ id: line.slice(0, line.indexOf(' ')), ref: line.slice(line.indexOf(' ') + 1) }))
}

function isCheckedOut(store: Repository, ref: string): boolean {
  return ref.startsWith('refs/heads/') && whereCheckedOut(store, ref.slice('refs/heads/'.length)) !== null
}

function notSaved(path: string, why: string): AoError {
  return new AoError('WORKSPACE_NOT_SAVED', `The clone ${path} could not be saved: ${why}`, { details: { path } })
}
