// The session's worktree at home while the agent works in a place: a mirror of the work there. The place owns the branch;
// the mirror follows only when it is provably as we left it. What arrives is safe in a ref before the mirror is touched.
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../../contract/errors.ts'
import { whereCheckedOut } from '../../../git/checkouts.ts'
import { prefixQuoted } from '../../../git/quoted-path.ts'
import { resolveRef } from '../../../git/repository.ts'
import { captureTrees, withIndex } from '../../../git/rescue/capture-trees.ts'
import { hashAsTheyAre } from '../../../git/rescue/exact-bytes.ts'
import type { IndexFlag } from '../../../git/rescue/index-flags.ts'
import { commitTree, FIXED_DATE, withScratch } from '../../../git/rescue/rescue-commit.ts'
import { changesBetween } from '../../../git/rescue/tree-changes.ts'
import { type Checkout, fileOf, gitIn, gitLines, requireCheckout, tryGitIn } from '../../../git/workspace/checkout.ts'
import { FETCH_NOTHING } from '../../../git/workspace/record.ts'
import { type FarWork, farWork } from '../far-contract.ts'
import { type Far, statusOf } from '../reach/far.ts'
import { readAll } from '../wire.ts'
import { readPack } from './pack.ts'

const MAX_REFUSAL_BYTES = 64 * 1024

/** `refs/ao/place/{session}`: what the place had when home last heard of it. */
export function placeRef(sessionId: string): string {
  return `refs/ao/place/${sessionId}`
}

export interface Mirror {
  sessionId: string
  path: string
  env: NodeJS.ProcessEnv
}

export interface FetchRequest {
  haves: readonly string[]
  wants?: readonly string[]
  /** Of untracked files; more stay there. */
  maxBytes: number
  /** Nothing that is not committed, unless the agent has ended. */
  onlyCommits: boolean
}

/** Brings the objects home, and counts them. null: there is nothing there yet. */
export async function fetchWork(
  far: Far,
  mirror: Mirror,
  { haves, wants = [], maxBytes, onlyCommits }: FetchRequest,
): Promise<{ work: FarWork; bytes: number } | null> {
  const checkout = requireCheckout(mirror.path, mirror.env)
  const only = onlyCommits ? 'commits' : undefined
  const query = { have: haves.join(','), want: wants.join(','), limit: maxBytes, only }
  const stream = far.stream('GET /work', { query })
  let header: string | undefined
  stream.on('response', (headers) => {
    header = headers['x-work'] === undefined ? undefined : String(headers['x-work'])
  })
  const status = await statusOf(stream)
  if (header === undefined) {
    const text = (await readAll(stream, MAX_REFUSAL_BYTES)).toString('utf8')
    if (status === 200 && text === 'null') return null
    throw new AoError('PLACE_FAILED', `The work could not be fetched from the place: ${text.slice(0, 500)}`)
  }
  const work = checkWork(header)
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  await readPack({ gitDir: checkout.commonDir, env: mirror.env }, stream)
  await requireCommit(checkout, work)
  return { work, bytes }
}

/** Before the mirror is touched: from here on the work is safe. */
export async function keepWork({ path, env, sessionId }: Mirror, { work }: FarWork): Promise<void> {
  await gitIn(requireCheckout(path, env), ['update-ref', placeRef(sessionId), work])
}

/** The place's words are not trusted: they must at least look right, and git must agree. */
function checkWork(header: string): FarWork {
  const checked = farWork.safeParse(JSON.parse(header))
  if (checked.success) return checked.data
  throw new AoError('PLACE_FAILED', 'The place described its work in words that make no sense')
}

async function requireCommit(checkout: Checkout, { head, work, tree }: FarWork): Promise<void> {
  const found = await gitIn(checkout, ['rev-parse', `${work}^{tree}`, `${work}^1`], { read: true })
  if (found.trim() === `${tree}\n${head}`) return
  throw new AoError('PLACE_FAILED', 'The place sent other work than it described')
}

export interface Move {
  /** As we left the mirror. */
  from: FarWork
  to: FarWork
  /** Branches that may be moved. */
  branches: readonly string[]
  /** Never a session's own. */
  defaultBranch: string
  /** An earlier move to this was interrupted: what is there is saved first, then replaced. */
  interrupted: boolean
}

/** null: the mirror shows `to` now. Otherwise why it was left alone. */
export async function moveMirror(mirror: Mirror, move: Move): Promise<string | null> {
  const { to, from } = move
  const checkout = requireCheckout(mirror.path, mirror.env)
  if (to.ref === null) return 'the agent is between two branches (a rebase or a detached HEAD)'
  return withScratch(checkout, async (scratch) => {
    const now = await captureTrees(checkout, scratch)
    const isAt = (work: FarWork) => now.head.commit === work.head && now.head.ref === work.ref
    const shows = (work: FarWork) => isAt(work) && now.workTree === work.tree
    const hasBytesOf = async (work: FarWork) => isAt(work) && areSameBytes(checkout, now.workTree, work.tree, scratch)
    if (shows(to)) return null
    if (!shows(from) && (await hasBytesOf(to))) return null
    const isOurs = shows(from) || (await hasBytesOf(from))
    if (!isOurs && !move.interrupted) return 'the worktree at home was changed; it is left as it is'
    if (!isOurs) await keepInterrupted(checkout, mirror.sessionId, now.workTree, now.head.commit)
    const blocked = await blockedBranch(checkout, move, now.head.ref)
    if (blocked !== null) return blocked
    // Changed files are written also where a sparse checkout has none: nothing of the work is hidden.
    const args = ['-c', 'core.sparseCheckout=false', 'read-tree', '-m', '-u', now.workTree, to.tree]
    const files = await tryGitIn(checkout, args, writingWith(now.workIndex))
    if (!files.ok) return `a file is in the way: ${files.stderr.trim().split('\n').at(-1)}`
    await gitIn(checkout, ['update-ref', to.ref!, to.head])
    if (now.head.ref !== to.ref) await gitIn(checkout, ['symbolic-ref', 'HEAD', to.ref!])
    await gitIn(checkout, ['read-tree', to.head])
    await keepSparse(checkout, now.flags, to.tree)
    await tryGitIn(checkout, ['update-index', '-q', '--refresh'])
    return null
  })
}

/**
 * Files are written as the place has them. git-lfs uses what is here: a file of the agent's, `.lfsconfig`, says which server it would
 * ask for the rest, and home asks nobody because an agent says so.
 */
function writingWith(index: string): { extraEnv: Record<string, string> } {
  return { extraEnv: { ...withIndex(index).extraEnv, ...FETCH_NOTHING } }
}

/** Files that a sparse checkout does not have are not deleted ones. */
async function keepSparse(checkout: Checkout, flags: readonly IndexFlag[], tree: string): Promise<void> {
  const absent = flags.flatMap((flag) => (flag.startsWith('absent ') ? [flag.slice('absent '.length)] : []))
  if (absent.length === 0) return
  const lists = [['ls-files'], ['ls-tree', '-r', '--full-tree', '--name-only', tree]]
  const [staged, there] = await Promise.all(
    lists.map(async (args) => new Set(await gitLines(checkout, args, { read: true }))),
  )
  const isAbsent = (path: string) => lstatSync(fileOf(checkout, path), { throwIfNoEntry: false }) === undefined
  const kept = absent.filter((path) => staged!.has(path) && there!.has(path) && isAbsent(path))
  const input = kept.map((path) => `${path}\n`).join('')
  await gitIn(checkout, ['update-index', '--skip-worktree', '--stdin'], { input })
}

/** Filters and line endings of home may store a file in another form than the place did: then its bytes decide. */
async function areSameBytes(checkout: Checkout, captured: string, tree: string, scratch: string): Promise<boolean> {
  const changes = await changesBetween(checkout, tree, captured)
  if (!changes.every(({ mode, oldMode }) => mode === oldMode && mode.startsWith('100'))) return false
  const paths = changes.map(({ path }) => path)
  const out = join(scratch, tree)
  const how = writingWith(`${out}.index`)
  await gitIn(checkout, ['read-tree', tree], how)
  const input = paths.map((path) => `${path}\n`).join('')
  const written = await tryGitIn(checkout, ['checkout-index', `--prefix=${out}/`, '--stdin'], { ...how, input })
  const expected = paths.map((path) => prefixQuoted(`${out}/`, path))
  if (!written.ok) return false
  const [ours, theirs] = [await hashAsTheyAre(checkout, paths), await hashAsTheyAre(checkout, expected)]
  return ours.every((id, at) => id === theirs[at])
}

/**
 * Only branches of this session are moved, and only where nobody else has them or moved them. One that is at home already does not
 * become the session's by being checked out there.
 */
async function blockedBranch(
  checkout: Checkout,
  { from, to, branches, defaultBranch, interrupted }: Move,
  headRef: string | null,
): Promise<string | null> {
  const ref = to.ref!
  const branch = ref.replace('refs/heads/', '')
  const isOwn = branches.includes(branch)
  if (branch === defaultBranch && !isOwn) return `${branch} is the default branch, not one of the session`
  const tip = await resolveRef(checkout, ref)
  // An interrupted move may have made it, before that was written down.
  if (tip === null || (tip === to.head && (isOwn || interrupted))) {
    const elsewhere = headRef === ref ? null : whereCheckedOut(checkout, branch)
    return elsewhere === null ? null : `${branch} is checked out in ${elsewhere}`
  }
  if (!isOwn) return `${branch} existed at home before the agent chose it`
  if (ref === from.ref && tip !== from.head && !interrupted) return `${branch} was moved at home`
  return null
}

async function keepInterrupted(
  checkout: Checkout,
  sessionId: string,
  tree: string,
  head: string | null,
): Promise<void> {
  const parents = head === null ? [] : [head]
  const commit = await commitTree(checkout, { tree, parents, message: 'Interrupted\n', date: FIXED_DATE })
  await gitIn(checkout, ['update-ref', `${placeRef(sessionId)}-interrupted`, commit])
}

/** The mirror as it is, as a commit that can be sent. */
export async function captureMirror(mirror: Mirror): Promise<FarWork> {
  const checkout = requireCheckout(mirror.path, mirror.env)
  return withScratch(checkout, async (scratch) => {
    const { head, workTree } = await captureTrees(checkout, scratch)
    if (head.commit === null || head.ref === null) {
      throw new AoError('PLACE_FAILED', `${mirror.path} is not on a branch with a commit, so it cannot be sent`)
    }
    const parents = [head.commit]
    const work = await commitTree(checkout, {
      tree: workTree,
      parents,
      message: 'Work in progress\n',
      date: FIXED_DATE,
    })
    return { ref: head.ref, head: head.commit, work, tree: workTree }
  })
}
