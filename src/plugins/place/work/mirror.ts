// The session's worktree at home while the agent works in a place: a mirror of the work there. The place owns the branch;
// the mirror follows only when it is provably as we left it. What arrives is safe in a ref before the mirror is touched.
import { AoError } from '../../../contract/errors.ts'
import { whereCheckedOut } from '../../../git/checkouts.ts'
import { resolveRef } from '../../../git/repository.ts'
import { captureTrees, withIndex } from '../../../git/rescue/capture-trees.ts'
import { commitTree } from '../../../git/rescue/rescue-commit.ts'
import { FIXED_DATE } from '../../../git/rescue/rescue-state.ts'
import { type Checkout, gitIn, requireCheckout, tryGitIn, withScratch } from '../../../git/workspace/checkout.ts'
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

/** Brings the objects home and points the session's ref to them. null: there is nothing there yet. */
export async function fetchWork(
  far: Far,
  mirror: Mirror,
  { haves, wants = [] }: { haves: readonly string[]; wants?: readonly string[] },
): Promise<FarWork | null> {
  const checkout = requireCheckout(mirror.path, mirror.env)
  const stream = far.stream('GET /work', { query: { have: haves.join(','), want: wants.join(',') } })
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
  await readPack({ gitDir: checkout.commonDir, env: mirror.env }, stream)
  await requireCommit(checkout, work)
  await gitIn(checkout, ['update-ref', placeRef(mirror.sessionId), work.work])
  return work
}

/** The place's words are not believed: they must at least look right, and git must agree. */
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
    const isThere = now.head.commit === to.head && now.workTree === to.tree && now.head.ref === to.ref
    if (isThere) return null
    const isOurs = now.head.commit === from.head && now.workTree === from.tree && now.head.ref === from.ref
    if (!isOurs && !move.interrupted) return 'somebody changed the worktree at home; it is left as it is'
    if (!isOurs) await keepInterrupted(checkout, mirror.sessionId, now.workTree, now.head.commit)
    const blocked = await blockedBranch(checkout, move, now.head.ref)
    if (blocked !== null) return blocked
    const files = await tryGitIn(checkout, ['read-tree', '-m', '-u', now.workTree, to.tree], withIndex(now.workIndex))
    if (!files.ok) return `a file is in the way: ${files.stderr.trim().split('\n').at(-1)}`
    await gitIn(checkout, ['update-ref', to.ref!, to.head])
    if (now.head.ref !== to.ref) await gitIn(checkout, ['symbolic-ref', 'HEAD', to.ref!])
    await gitIn(checkout, ['read-tree', to.head])
    await tryGitIn(checkout, ['update-index', '-q', '--refresh'])
    return null
  })
}

/** Only branches of this session are moved, and only where nobody else has them or moved them. */
async function blockedBranch(
  checkout: Checkout,
  { from, to, branches, interrupted }: Move,
  headRef: string | null,
): Promise<string | null> {
  const ref = to.ref!
  const branch = ref.replace('refs/heads/', '')
  const tip = await resolveRef(checkout, ref)
  if (tip === null || tip === to.head) {
    const elsewhere = headRef === ref ? null : whereCheckedOut(checkout, branch)
    return elsewhere === null ? null : `${branch} is checked out in ${elsewhere}`
  }
  if (!branches.includes(branch)) return `${branch} existed at home before the agent chose it`
  if (ref === from.ref && tip !== from.head && !interrupted) return `somebody moved ${branch} at home`
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
