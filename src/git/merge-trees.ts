// Tries merges without a checkout: one git process for many pairs.
import { type Repository, tryGitOn } from './repository.ts'

export interface TriedMerge {
  isClean: boolean
  /** The merged tree; with conflicts, its files contain both sides. */
  tree: string
  /** Conflicting files. */
  files: string[]
}

export interface MergeTreesOptions {
  extraEnv?: Record<string, string> | undefined
  /** `-c` settings, beside those of every call. */
  settings?: readonly string[] | undefined
  /** Merge histories that have nothing in common too. Otherwise such a pair ends the answers. */
  unrelated?: boolean | undefined
}

/** `ours theirs`, commits each. In the same order; null: git gave no answer (an older git, a missing commit). */
export async function tryMerges(
  repository: Repository,
  pairs: ReadonlyArray<readonly [ours: string, theirs: string]>,
  { extraEnv, settings = [], unrelated }: MergeTreesOptions = {},
): Promise<Array<TriedMerge | null>> {
  const args = ['merge-tree', '--write-tree', '--stdin', '--name-only', '--no-messages']
  if (unrelated) args.push('--allow-unrelated-histories')
  const input = pairs.map((pair) => `${pair.join(' ')}\n`).join('')
  const { stdout } = await tryGitOn(
    repository,
    [...settings.flatMap((setting) => ['-c', setting]), ...args],
    extraEnv ? { input, extraEnv } : { input },
  )
  const answers = readMergeAnswers(stdout)
  return pairs.map((_, index) => answers[index] ?? null)
}

/** For each merge, NUL-terminated: 1 or 0, the tree, the conflicting files, and an empty field. */
export function readMergeAnswers(output: string): TriedMerge[] {
  const answers: TriedMerge[] = []
  const fields = output.split('\0')
  for (let at = 0; at + 2 < fields.length; ) {
    if (fields[at] !== '0' && fields[at] !== '1') break
    const end = fields.indexOf('', at + 2)
    const files = [...new Set(fields.slice(at + 2, end === -1 ? undefined : end))]
    answers.push({ isClean: fields[at] === '1', tree: fields[at + 1]!, files })
    if (end === -1) break
    at = end + 1
  }
  return answers
}

/** The same for one pair, also with a git that takes only one at a time. */
export async function tryMerge(
  repository: Repository,
  [ours, theirs]: readonly [ours: string, theirs: string],
  { extraEnv, settings = [], unrelated }: MergeTreesOptions = {},
): Promise<TriedMerge | null> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages']
  if (unrelated) args.push('--allow-unrelated-histories')
  const result = await tryGitOn(
    repository,
    [...settings.flatMap((setting) => ['-c', setting]), ...args, ours, theirs],
    extraEnv ? { extraEnv } : {},
  )
  if (result.exitCode !== 0 && result.exitCode !== 1) return null
  const [tree = '', ...files] = result.stdout.split('\0')
  return { isClean: result.ok, tree, files: [...new Set(files.filter(Boolean))] }
}
