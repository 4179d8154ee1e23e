// The index's flags for a file: ignore changes (assume-unchanged), do not check out (skip-worktree), intent to add (`git
// add -N`). Trees cannot represent them, so a rescue keeps them as a list.
import { lstatSync, rmdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathInside } from '../../lib/inside-directory.ts'
import { removeFile } from '../../lib/remove.ts'
import { type Checkout, fileOf, gitIn, gitLines } from '../workspace/checkout.ts'

/** `{kind} {path}`, the path as git prints it. */
export type IndexFlag = string

interface Entry {
  tag: string
  id: string
  stage: string
  path: string
}

/** The empty file, which is what an intent-to-add entry has in the index. */
const EMPTY = new Set([
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
])

export async function readFlags(checkout: Checkout, entries: Entry[], indexTree: string): Promise<IndexFlag[]> {
  const isThere = (path: string) => lstatSync(fileOf(checkout, path), { throwIfNoEntry: false }) !== undefined
  const flags = entries.flatMap(({ tag, path }) => [
    ...(tag.toUpperCase() === 'S' ? [`${isThere(path) ? 'skip' : 'absent'} ${path}`] : []),
    ...(tag !== tag.toUpperCase() ? [`assume ${path}`] : []),
  ])
  const maybeAnnounced = entries.filter(({ id, stage, path }) => stage === '0' && EMPTY.has(id) && isThere(path))
  if (maybeAnnounced.length === 0) return flags
  const inTree = new Set(
    await gitLines(checkout, ['ls-tree', '-r', '--full-tree', '--name-only', indexTree], { read: true }),
  )
  const announced = maybeAnnounced.filter(({ path }) => !inTree.has(path))
  return [...flags, ...announced.map(({ path }) => `announced ${path}`)]
}

export async function restoreFlags(checkout: Checkout, flags: IndexFlag[]): Promise<void> {
  const of = (...kinds: string[]) =>
    flags.flatMap((flag) => (kinds.includes(flag.split(' ')[0]!) ? [flag.slice(flag.indexOf(' ') + 1)] : []))
  const lines = (paths: string[]) => ({ input: paths.map((path) => `${path}\n`).join('') })
  const announced = of('announced')
  if (announced.length > 0) {
    const add = ['--literal-pathspecs', 'add', '--intent-to-add', '--force', '--sparse', '--pathspec-from-file=-']
    await gitIn(checkout, add, lines(announced))
  }
  for (const path of of('absent')) removeWithParents(checkout, path)
  for (const [flag, paths] of [
    ['--skip-worktree', of('skip', 'absent')],
    ['--assume-unchanged', of('assume')],
  ] as const) {
    if (paths.length > 0) await gitIn(checkout, ['update-index', flag, '--stdin'], lines(paths))
  }
}

/** Including directories that become empty, as git would. */
function removeWithParents(checkout: Checkout, path: string): void {
  const file = fileOf(checkout, path)
  // Behind a link it is another file, which may be outside of the worktree.
  if (pathInside(checkout.path, dirname(file.toString())) === null) return
  removeFile(file)
  try {
    for (let above = path; above.includes('/'); ) {
      above = dirname(above)
      rmdirSync(fileOf(checkout, above.startsWith('"') ? `${above}"` : above))
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'ENOTEMPTY' && code !== 'ENOENT' && code !== 'EEXIST') throw error
  }
}
