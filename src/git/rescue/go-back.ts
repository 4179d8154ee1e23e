// Takes a checkout back to a checkpoint: files, then HEAD, then the index. What is there now was saved before (checkpoint.ts), and git
// itself refuses to replace a file that is not the one that was saved. Repeated after a crash at any point it ends in the same state.
import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AoError, errorText } from '../../contract/errors.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { pathInside, realPathOf } from '../../lib/inside-directory.ts'
import { branchOf, listRegistrations, whereCheckedOut } from '../checkouts.ts'
import { gitFailure, lastLines } from '../git.ts'
import { withoutPrefix } from '../quoted-path.ts'
import { gitOn, type Repository, resolveRef, tryGitOn } from '../repository.ts'
import { type Checkout, fileOf, gitIn, requireCheckout, tryGitIn } from '../workspace/checkout.ts'
import { withIndex } from './capture-trees.ts'
import { type Checkpoint, type CheckpointRequest, takeCheckpoint } from './checkpoint.ts'
import { type RescueParts, readRescueCommit, withScratch } from './rescue-commit.ts'
import { saveState } from './rescue-state.ts'
import { listEntries, restoreExact } from './restore-state.ts'

export interface GoBackRequest extends Pick<CheckpointRequest, 'path' | 'sessionId' | 'turn' | 'env'> {
  /** The checkpoint to go back to. */
  commit: string
  /** Branches that are somebody else's, whatever the checkout's HEAD says: they are never moved. */
  foreign: ReadonlySet<string>
  /** Called when what is there now is saved, before anything changes. */
  onSaved(saved: Checkpoint): Promise<void>
}

/** What a person has to know about how it went; null: everything is as it was. */
export async function goBack(request: GoBackRequest): Promise<string | null> {
  const { path, sessionId, turn, env, commit, foreign, onSaved } = request
  const checkout = requireCheckout(path, env)
  const target = await requireCheckpoint(checkout, commit)
  return withScratch(checkout, async (scratch) => {
    const index = join(scratch, 'now')
    const save = (force: string[], state: string | null = null) =>
      takeCheckpoint({ path, sessionId, turn, env, force, keepIndex: index, state })
    const first = await save([])
    // Ignored by now, or too large: git would replace them.
    const inTheWay = await existingAmong(checkout, first.commit, target.parts.workTree)
    const whole = inTheWay.length === 0 ? first : await save(inTheWay)
    // Bytes that line endings and filters keep from git's own trees.
    const capture = { workIndex: index, unmerged: [], flags: [] }
    const state = await saveState({ checkout, scratch, capture, changes: [], looseRefs: [] })
    const saved = state === null ? whole : await save(inTheWay, state)
    await onSaved(saved)
    failpoint('rewind.announced')
    const now = await readRescueCommit(checkout, saved.commit)
    const left = [...new Set([...saved.left, ...target.left])]
    const tree = await withLeft(checkout, { scratch, from: now.workTree, to: target.parts.workTree, left })
    await switchFiles(checkout, { index, from: now.workTree, to: tree })
    failpoint('rewind.files')
    const exact = async (state: string | null) => restoreExact(checkout, await exactEntries(checkout, state), scratch)
    const notice = await moveHead(checkout, now, target.parts, foreign).catch(async (error: unknown) => {
      const why = errorText(error)
      await switchFiles(checkout, { index, from: tree, to: now.workTree }).catch(() => {
        throw new AoError('GIT_FAILED', `Its files were taken back, but its branch could not be moved: ${why}`)
      })
      await exact(now.state)
      throw new AoError('STATE_REFUSED', `Its branch could not be moved, so its files stay as well: ${why}`, {
        hint: 'Nothing was changed. Try again when nothing else works in that repository',
        details: { path },
      })
    })
    failpoint('rewind.head')
    await exact(target.parts.state)
    await gitIn(checkout, ['read-tree', '--reset', target.parts.index])
    await tryGitIn(checkout, ['update-index', '-q', '--refresh'])
    failpoint('rewind.index')
    return [notice, leftNotice(target.left)].filter((one) => one !== null).join('; ') || null
  })
}

interface Target {
  parts: RescueParts
  left: string[]
}

/** By its commit, which no agent can change. */
export async function requireCheckpoint(repository: Repository, commit: string): Promise<Target> {
  const found = await tryGitOn(repository, ['cat-file', 'commit', commit], { read: true })
  const left = found.ok ? /^ao-left: (\[.*\])$/m.exec(found.stdout)?.[1] : undefined
  const whole =
    left !== undefined &&
    (await tryGitOn(repository, ['rev-list', '--objects', '--quiet', '--max-count=1', commit], { read: true })).ok
  if (!whole)
    throw new AoError(
      'STATE_REFUSED',
      `The files of that turn are no longer in the repository (${commit.slice(0, 12)})`,
    )
  return { parts: await readRescueCommit(repository, commit), left: JSON.parse(left) as string[] }
}

/** Files that are on the disk and in the target, but not in what was saved. */
async function existingAmong(checkout: Checkout, from: string, to: string): Promise<string[]> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--diff-filter=A', `${from}^{tree}`, to]
  const added = await gitIn(checkout, args, { read: true, encoding: 'latin1' })
  const root = realPathOf(checkout.path)
  return added.split('\0').filter((path) => {
    if (path === '') return false
    const file = Buffer.from(`${checkout.path}/${path}`, 'latin1')
    if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return false
    // Behind a link it is another file; git removes the link.
    return realPathOf(dirname(file.toString())) === join(root ?? '', dirname(Buffer.from(path, 'latin1').toString()))
  })
}

interface LeftFiles {
  scratch: string
  from: string
  to: string
  left: readonly string[]
}

/** Files that one of the two does not have stay as they are. */
async function withLeft(checkout: Checkout, { scratch, from, to, left }: LeftFiles): Promise<string> {
  const plain = left.filter((path) => !path.endsWith('/'))
  if (plain.length === 0) return to
  const index = withIndex(join(scratch, 'target'))
  await gitIn(checkout, ['read-tree', to], index)
  const none = '0'.repeat(to.length)
  const removed = plain.map((path) => `0 ${none}\t${path}\0`)
  const listed = await gitIn(checkout, ['ls-tree', '-r', '-z', '--full-tree', from], { read: true, encoding: 'latin1' })
  const names = new Set(plain)
  const kept = listed.split('\0').filter((line) => names.has(line.slice(line.indexOf('\t') + 1)))
  const input = Buffer.from([...removed, ...kept.map((line) => `${line}\0`)].join(''), 'latin1')
  await gitIn(checkout, ['update-index', '-z', '--index-info'], { ...index, input })
  return (await gitIn(checkout, ['write-tree'], index)).trim()
}

/** Only in place of the plain files that git has just written. */
async function exactEntries(checkout: Checkout, state: string | null) {
  const entries = state === null ? [] : await listEntries(checkout, state)
  return entries.filter(({ path }) => {
    const file = fileOf(checkout, withoutPrefix('exact/', path) ?? '')
    const isPlain = lstatSync(file, { throwIfNoEntry: false })?.isFile() === true
    return isPlain && pathInside(checkout.path, dirname(file.toString())) !== null
  })
}

/** All of it, or nothing when a file changed meanwhile. */
async function switchFiles(checkout: Checkout, { index, from, to }: { index: string; from: string; to: string }) {
  const args = ['read-tree', '-m', '-u', from, to]
  const result = await tryGitIn(checkout, args, withIndex(index))
  if (result.ok) return
  if (!/would be overwritten|would lose|not uptodate|Cannot merge/.test(result.stderr))
    throw gitFailure(checkout.path, args, result)
  throw new AoError('STATE_REFUSED', `Files there are not as they were saved: ${lastLines(result.stderr)}`, {
    hint: `Nothing was changed. Try again when nobody writes there; files that git was told to leave alone (git -C '${checkout.path}' ls-files -v | grep '^[a-zS]') have to be released first`,
    details: { path: checkout.path },
  })
}

/** Nobody holds the lock of a ref for long, and the session waits: a killed git has left it. */
const LOCK_WAIT_MS = 3_000

async function moveHead(
  checkout: Checkout,
  now: RescueParts,
  { headRef, head }: RescueParts,
  foreign: ReadonlySet<string>,
): Promise<string | null> {
  if (now.headRef === headRef && now.head === head) return null
  const move = (args: string[]) => gitIn(checkout, args, { lockWaitMs: LOCK_WAIT_MS })
  const branch = headRef?.replace(/^refs\/heads\//, '')
  // An agent can point HEAD anywhere, at the base branch for example: others depend on where that is.
  const isOwn = branch !== undefined && !foreign.has(branch) && !isInUseElsewhere(checkout, branch)
  if (head === null) {
    if (!isOwn && (await resolveRef(checkout, headRef!)) !== null) return `its branch ${branch} is in use and stays`
    // It had no commit yet: its branch is unborn again. What was committed since is in what was saved.
    if (headRef === now.headRef) await move(['update-ref', '--no-deref', '-d', headRef!, now.head!])
    await move(['symbolic-ref', 'HEAD', headRef!])
    return null
  }
  if (headRef !== null && headRef === now.headRef && isOwn) {
    // First: once the branch is moved nothing may fail that would take the files of now back.
    const notice = await commitsNotice(checkout, { headRef, head, before: now.head })
    await move(['update-ref', '-m', 'ao: rewind', headRef, head, now.head ?? ''])
    return notice
  }
  const tip = headRef && (await resolveRef(checkout, headRef))
  // In use elsewhere, or it has moved on since: nobody's branch is moved but the one that is checked out here.
  const isFree = branch !== undefined && whereCheckedOut(checkout, branch) === null && (tip === null || tip === head)
  if (!isFree) {
    await move(['update-ref', '--no-deref', '-m', 'ao: rewind', 'HEAD', head])
    return branch === undefined ? null : `its branch ${branch} has moved on or is in use, so HEAD is detached`
  }
  if (tip === null) await move(['update-ref', headRef!, head, ''])
  await move(['symbolic-ref', '-m', 'ao: rewind', 'HEAD', headRef!])
  return null
}

function isInUseElsewhere(checkout: Checkout, branch: string): boolean {
  const { commonDir, gitDir } = checkout
  if (commonDir !== gitDir && branchOf(commonDir) === branch) return true
  const here = realPathOf(gitDir)
  return listRegistrations(checkout).some((one) => one.branch === branch && realPathOf(one.gitDir) !== here)
}

async function commitsNotice(
  checkout: Checkout,
  { headRef, head, before }: { headRef: string; head: string; before: string | null },
): Promise<string | null> {
  if (before === null) return null
  const count = (await gitOn(checkout, ['rev-list', '--count', before, '--not', head], { read: true })).trim()
  if (count === '0') return null
  const branch = headRef.replace(/^refs\/heads\//, '')
  const pushed = await gitOn(
    checkout,
    ['for-each-ref', '--count=1', '--format=%(refname:short)', `--contains=${before}`, 'refs/remotes'],
    { read: true },
  )
  const where = pushed.trim() === '' ? '' : `; ${pushed.trim()} still has ${count === '1' ? 'it' : 'them'}`
  return `${branch} is back at ${head.slice(0, 12)}, without ${count} later commit${count === '1' ? '' : 's'}${where}`
}

function leftNotice(left: readonly string[]): string | null {
  if (left.length === 0) return null
  const named = left
    .slice(0, 3)
    .map((path) => JSON.stringify(path))
    .join(', ')
  const more = left.length > 3 ? ` and ${left.length - 3} more` : ''
  return `not brought back, because they were not saved: ${named}${more}`
}
