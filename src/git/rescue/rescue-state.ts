// The third part of a rescue, as one commit: raw bytes, conflict entries, the operation in progress, refs of a clone.
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readBytes, readIfThere } from '../../lib/plain-file.ts'
import { prefixQuoted } from '../quoted-path.ts'
import { type Checkout, gitIn, gitLines } from '../workspace/checkout.ts'
import { type Capture, withIndex } from './capture-trees.ts'
import { hashAsTheyAre, saveInexactFiles } from './exact-bytes.ts'
import { commitTree, FIXED_DATE } from './rescue-commit.ts'
import type { Change } from './tree-changes.ts'

/** A ref that disappears with the workspace. */
export interface LooseRef {
  ref: string
  id: string
}

export interface StateRequest {
  checkout: Checkout
  scratch: string
  capture: Pick<Capture, 'workIndex' | 'unmerged' | 'flags'>
  changes: Change[]
  looseRefs: LooseRef[]
}

/** null: git's own trees contain everything. */
export async function saveState(request: StateRequest): Promise<string | null> {
  const { checkout, scratch, capture, changes, looseRefs } = request
  const exact = await saveInexactFiles(checkout, { scratch, workIndex: capture.workIndex, changes })
  const operation = operationFiles(checkout)
  const entries = [
    ...exact.map((line) => moveUnder('exact/', line)),
    ...capture.unmerged.map(moveConflict),
    ...(await storeFiles(checkout, operation)),
    ...(await storeList(checkout, { scratch, name: 'refs', lines: looseRefs.map(({ ref, id }) => `${id} ${ref}`) })),
    ...(await storeList(checkout, { scratch, name: 'flags', lines: capture.flags })),
  ]
  if (entries.length === 0) return null
  const index = join(scratch, 'state')
  await gitIn(checkout, ['update-index', '--add', '--index-info'], {
    ...withIndex(index),
    input: `${entries.join('\n')}\n`,
  })
  const tree = (await gitIn(checkout, ['write-tree'], withIndex(index))).trim()
  const ids = [...mentionedIds(checkout, operation), ...looseRefs.map((one) => one.id)]
  const parents = await commitsAmong(checkout, ids)
  return commitTree(checkout, { tree, parents, message: 'State beside the files\n', date: FIXED_DATE })
}

function moveUnder(directory: string, line: string): string {
  const [meta, path] = splitEntry(line)
  return `${meta}\t${prefixQuoted(directory, path)}`
}

/** `mode id stage<TAB>path` becomes a file below `stage{n}/`. */
function moveConflict(line: string): string {
  const [meta, path] = splitEntry(line)
  const [mode, id, stage] = meta.split(' ')
  return `${mode} ${id}\t${prefixQuoted(`stage${stage}/`, path)}`
}

async function storeFiles(checkout: Checkout, files: string[]): Promise<string[]> {
  const ids = await hashAsTheyAre(
    checkout,
    files.map((file) => join(checkout.gitDir, file)),
    ['-w'],
  )
  return files.map((file, at) => `100644 ${ids[at]}\tgit/${file}`)
}

async function storeList(
  checkout: Checkout,
  { scratch, name, lines }: { scratch: string; name: string; lines: string[] },
): Promise<string[]> {
  if (lines.length === 0) return []
  const file = join(scratch, `list-${name}`)
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
  const [id] = await hashAsTheyAre(checkout, [file], ['-w'])
  return [`100644 ${id}\t${name}`]
}

async function commitsAmong(checkout: Checkout, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const input = ids.map((id) => `${id}^{commit}\n`).join('')
  const lines = await gitLines(checkout, ['cat-file', '--batch-check'], { read: true, input })
  const commits = lines.map((line) => /^([0-9a-f]+) commit /.exec(line)?.[1]).filter((id) => id !== undefined)
  return [...new Set(commits)]
}

export function splitEntry(line: string): [meta: string, path: string] {
  const at = line.indexOf('\t')
  return [line.slice(0, at), line.slice(at + 1)]
}

// The files of a merge, rebase, cherry-pick, revert or bisect in progress in a checkout, and of a sparse one.

const OPERATION = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
  'BISECT_LOG',
  'BISECT_START',
]
/** Belong to an operation, but may also be left over without one. */
const ALONG = [
  'MERGE_MSG',
  'MERGE_MODE',
  'ORIG_HEAD',
  'REBASE_HEAD',
  'SQUASH_MSG',
  'BISECT_TERMS',
  'BISECT_NAMES',
  'BISECT_EXPECTED_REV',
  'BISECT_ANCESTORS_OK',
  'BISECT_FIRST_PARENT',
  'refs/bisect',
]
/** Which files the checkout contains at all. */
const SPARSE = 'info/sparse-checkout'

/** Their paths below the git directory; empty when nothing is in progress and everything is checked out. */
function operationFiles(checkout: Checkout): string[] {
  const exists = (name: string) => existsSync(join(checkout.gitDir, name))
  const operation = OPERATION.some(exists) ? [...OPERATION, ...ALONG] : []
  return [...operation, ...sparseFiles(checkout)].filter(exists).flatMap((name) => filesBelow(checkout.gitDir, name))
}

/** Patterns without the setting that enables them are leftovers. */
function sparseFiles({ gitDir }: Checkout): string[] {
  const settings = readIfThere(join(gitDir, 'config.worktree')) ?? ''
  return /^[ \t]*sparseCheckout\s*=\s*true/im.test(settings) ? [SPARSE, 'config.worktree'] : []
}

/** Every full object id that these files mention: commits that may be reachable from nowhere else. */
function mentionedIds(checkout: Checkout, files: string[]): string[] {
  const ids = files.flatMap((file) => {
    const text = readBytes(join(checkout.gitDir, file)).toString('latin1')
    return text.match(/\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g) ?? []
  })
  return [...new Set(ids)]
}

function filesBelow(gitDir: string, name: string): string[] {
  if (!statSync(join(gitDir, name)).isDirectory()) return [name]
  return readdirSync(join(gitDir, name)).flatMap((entry) => filesBelow(gitDir, `${name}/${entry}`))
}
