// The work in a place as home needs it: HEAD, and a commit on top of it with everything that git does not ignore.
import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { describeFiles, leaveLargest, type UntrackedFile } from '../../../core/place/work-limits.ts'
import { captureTrees, type Head, readHead } from '../../../git/rescue/capture-trees.ts'
import { commitTree, FIXED_DATE, withScratch } from '../../../git/rescue/rescue-commit.ts'
import { type Checkout, gitIn, requireCheckout, tryGitIn } from '../../../git/workspace/checkout.ts'
import type { FarWork } from '../far-contract.ts'
import { writePack } from '../work/pack.ts'
import { SENT } from './workspace.ts'

export interface CaptureOptions {
  /** Of untracked files. */
  maxBytes: number
  onlyCommits: boolean
}

/** null: there is no commit yet, so nothing that home could build on. */
export async function captureWork(
  workspace: string,
  { maxBytes, onlyCommits }: CaptureOptions,
): Promise<FarWork | null> {
  const checkout = requireCheckout(workspace, process.env)
  const commit = async (head: Head, tree: string, leave: UntrackedFile[]): Promise<FarWork | null> => {
    if (head.commit === null) return null
    const lfs = await keptByLfs(checkout)
    const found = describeFiles([...leave, ...lfs].sort((a, b) => a.bytes - b.bytes))
    const left = found && lfs.length > 0 ? { ...found, lfs: true } : found
    const message = 'Work in progress\n'
    const work = await commitTree(checkout, { tree, parents: [head.commit], message, date: FIXED_DATE })
    return { ref: head.ref, head: head.commit, work, tree, left }
  }
  if (onlyCommits) {
    const head = await readHead(checkout)
    const work = await commit(head, head.tree, [])
    return work && { ...work, onlyCommits }
  }
  const leave = leaveLargest(await untrackedFiles(checkout), maxBytes)
  return withScratch(checkout, async (scratch) => {
    const { head, workTree } = await captureTrees(checkout, scratch, { leave: leave.map(({ name }) => name) })
    return commit(head, workTree, leave)
  })
}

/** `name`: its path byte by byte, whatever these bytes mean. */
async function untrackedFiles(checkout: Checkout): Promise<Array<UntrackedFile & { name: Buffer }>> {
  const args = ['ls-files', '--others', '--exclude-standard', '-z']
  const listed = await gitIn(checkout, args, { read: true, encoding: 'latin1' })
  return listed.split('\0').flatMap((path) => {
    const name = Buffer.from(path, 'latin1')
    const file = Buffer.concat([Buffer.from(`${checkout.path}/`), name])
    const stats = path === '' ? undefined : lstatSync(file, { throwIfNoEntry: false })
    return stats?.isFile() ? [{ path: name.toString('utf8'), name, bytes: stats.size }] : []
  })
}

/** Content beside git's own objects, to which commits have only pointers. What home's pointers lead to was merely fetched. */
async function keptByLfs(checkout: Checkout): Promise<UntrackedFile[]> {
  const directory = join(checkout.commonDir, 'lfs', 'objects')
  const names = existsSync(directory) ? readdirSync(directory, { recursive: true, encoding: 'utf8' }) : []
  const objects = names.flatMap((name) => {
    const stats = lstatSync(join(directory, name), { throwIfNoEntry: false })
    return stats?.isFile() ? [{ id: basename(name), bytes: stats.size }] : []
  })
  if (objects.length === 0) return []
  const args = ['grep', '-hE', '^oid sha256:[0-9a-f]{64}$', SENT, '--', ':(attr:filter=lfs)']
  const { stdout } = await tryGitIn(checkout, args, { read: true })
  return objects
    .filter(({ id }) => !stdout.includes(id))
    .map(({ id, bytes }) => ({ path: `object ${id.slice(0, 10)} of git-lfs`, bytes }))
}

/** The objects of `wants` that home lacks; `haves` it has, as far as they are present here. */
export async function packWork(
  workspace: string,
  { wants, haves }: { wants: string[]; haves: string[] },
): Promise<{ pack: Readable; done: Promise<void> }> {
  const checkout = requireCheckout(workspace, process.env)
  const present: string[] = []
  for (const id of haves) {
    const found = await tryGitIn(checkout, ['cat-file', '-e', `${id}^{commit}`], { read: true })
    if (found.ok) present.push(id)
  }
  return writePack({ gitDir: checkout.gitDir, env: process.env }, { wants, haves: present })
}
