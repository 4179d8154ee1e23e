// Tries merges without a checkout: one git process for many pairs.
import type { ConflictedFile, Stage } from '../core/landing/resolve/rules.ts'
import { type Repository, tryGitOn } from './repository.ts'

export interface TriedMerge {
  isClean: boolean
  /** The merged tree; with conflicts, its files contain both sides. */
  tree: string
  /** Conflicting files. */
  files: string[]
  /** With the versions of each, where they were asked for. */
  conflicts?: ConflictedFile[] | undefined
}

export interface MergeTreesOptions {
  extraEnv?: Record<string, string> | undefined
  /** `-c` settings, beside those of every call. */
  settings?: readonly string[] | undefined
  /** Merge histories that have nothing in common too. Otherwise such a pair ends the answers. */
  unrelated?: boolean | undefined
  /** With the versions of conflicting files. */
  staged?: boolean | undefined
}

/** `ours theirs`, commits each. In the same order; null: git gave no answer (an older git, a missing commit). */
export async function tryMerges(
  repository: Repository,
  pairs: ReadonlyArray<readonly [ours: string, theirs: string]>,
  { extraEnv, settings = [], unrelated, staged = false }: MergeTreesOptions = {},
): Promise<Array<TriedMerge | null>> {
  const args = ['merge-tree', '--write-tree', '--stdin', '--no-messages', ...(staged ? [] : ['--name-only'])]
  if (unrelated) args.push('--allow-unrelated-histories')
  const input = pairs.map((pair) => `${pair.join(' ')}\n`).join('')
  const { stdout } = await tryGitOn(
    repository,
    [...settings.flatMap((setting) => ['-c', setting]), ...args],
    extraEnv ? { input, extraEnv } : { input },
  )
  const answers = readMergeAnswers(stdout, staged)
  return pairs.map((_, index) => answers[index] ?? null)
}

/** For each merge, NUL-terminated: 1 or 0, the tree, the conflicting files, and an empty field. */
export function readMergeAnswers(output: string, staged = false): TriedMerge[] {
  const answers: TriedMerge[] = []
  const fields = output.split('\0')
  for (let at = 0; at + 2 < fields.length; ) {
    if (fields[at] !== '0' && fields[at] !== '1') break
    const end = fields.indexOf('', at + 2)
    const found = readFiles(fields.slice(at + 2, end === -1 ? undefined : end), staged)
    answers.push({ isClean: fields[at] === '1', tree: fields[at + 1]!, ...found })
    if (end === -1) break
    at = end + 1
  }
  return answers
}

function readFiles(entries: readonly string[], staged: boolean): Pick<TriedMerge, 'files' | 'conflicts'> {
  if (!staged) return { files: [...new Set(entries)] }
  const conflicts = readStages(entries)
  return { files: conflicts.map(({ path }) => path), conflicts }
}

const STAGE = /^(\d{6}) ([0-9a-f]{40,64}) ([123])\t([\s\S]+)$/

/** From `mode id stage`, a tab and the path, each. */
function readStages(entries: readonly string[]): ConflictedFile[] {
  const byPath = new Map<string, Stage[]>()
  for (const entry of entries) {
    const [, mode = '', blob = '', stage = '', path = ''] = STAGE.exec(entry) ?? []
    byPath.set(path, [...(byPath.get(path) ?? []), { mode, blob, stage }])
  }
  return [...byPath].map(([path, stages]) => ({ path, stages }))
}

/** The same for one pair, also with a git that takes only one at a time. */
export async function tryMerge(
  repository: Repository,
  [ours, theirs]: readonly [ours: string, theirs: string],
  { extraEnv, settings = [], unrelated, staged = false }: MergeTreesOptions = {},
): Promise<TriedMerge | null> {
  const args = ['merge-tree', '--write-tree', '-z', '--no-messages', ...(staged ? [] : ['--name-only'])]
  if (unrelated) args.push('--allow-unrelated-histories')
  const result = await tryGitOn(
    repository,
    [...settings.flatMap((setting) => ['-c', setting]), ...args, ours, theirs],
    extraEnv ? { extraEnv } : {},
  )
  if (result.exitCode !== 0 && result.exitCode !== 1) return null
  const [tree = '', ...entries] = result.stdout.split('\0')
  return { isClean: result.ok, tree, ...readFiles(entries.filter(Boolean), staged) }
}
