// Where branches left the base branch and which files they change since: one git process each for all branches.
import type { FileChange, LineRange } from '../../contract/dashboard/radar.ts'
import { readParents, walkFork } from '../../core/git/walk-fork.ts'
import { readChangedLines } from '../../core/radar/changed-lines.ts'
import type { TouchedFile } from '../../core/radar/find-candidates.ts'
import { type ReadingGit, radarGit, tryRadarGit } from './radar-git.ts'

export interface Fork {
  /** null: it has nothing in common with the base branch. */
  from: string | null
  /** Commits since then. */
  commits: number
}

/** Those of the commits that exist. */
async function existingCommits(git: ReadingGit, commits: readonly string[]): Promise<Set<string>> {
  if (commits.length === 0) return new Set()
  const input = commits.map((commit) => `${commit}^{commit}\n`).join('')
  const lines = (await radarGit(git, ['cat-file', '--batch-check=%(objectname)'], input)).split('\n')
  return new Set(commits.filter((commit, index) => lines[index] === commit))
}

/** Commits are nearly always there; only when git stumbles over one are they asked for first. */
export async function findForks(git: ReadingGit, base: string, heads: readonly string[]): Promise<Map<string, Fork>> {
  try {
    return await readForks(git, base, heads)
  } catch {
    return readForks(git, base, [...(await existingCommits(git, heads))])
  }
}

/** From one walk over everything that the base branch does not have. */
async function readForks(git: ReadingGit, base: string, heads: readonly string[]): Promise<Map<string, Fork>> {
  if (heads.length === 0) return new Map()
  const input = [...heads, `^${base}`].map((line) => `${line}\n`).join('')
  const listed = await radarGit(git, ['rev-list', '--parents', '--stdin'], input)
  const parents = readParents(listed)
  const forks = new Map<string, Fork>()
  for (const head of heads) {
    const { from, commits } = walkFork(head, parents)
    forks.set(head, { from: from ?? (await mergeBase(git, base, head)), commits })
  }
  return forks
}

async function mergeBase(git: ReadingGit, base: string, head: string): Promise<string | null> {
  const result = await tryRadarGit(git, ['merge-base', base, head])
  return result.ok ? result.stdout.trim() : null
}

/** A comparison: what `head` changes since `from`. */
export interface Comparison {
  head: string
  from: string
}

/** A branch that changes more than this is shown without its files: everything would meet it. */
const MOST_FILES = 20_000

/** By head. null: too many files. */
export async function readTouched(
  git: ReadingGit,
  comparisons: readonly Comparison[],
): Promise<Map<string, Map<string, TouchedFile> | null>> {
  const found = new Map<string, Map<string, TouchedFile> | null>()
  if (comparisons.length === 0) return found
  const input = comparisons.map(({ head, from }) => `${head} ${from}\n`).join('')
  const output = await radarGit(
    git,
    ['diff-tree', '--stdin', '-r', '--raw', '-z', '--no-renames', '--full-index'],
    input,
  )
  let files = new Map<string, TouchedFile>()
  const fields = output.split('\0')
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at]!
    if (field.startsWith(':')) {
      const [, , from = '', , letter = ''] = field.split(' ')
      at += 1
      files.set(fields[at]!, { change: CHANGES[letter] ?? 'modified', from })
    } else if (field !== '') {
      files = new Map()
      found.set(field.trim(), files)
    }
  }
  // git prints nothing for a comparison without differences.
  for (const { head } of comparisons) if (!found.has(head)) found.set(head, new Map())
  for (const [head, touched] of found) if (touched && touched.size > MOST_FILES) found.set(head, null)
  return found
}

export interface TouchedLines {
  touched: Map<string, TouchedFile>
  lines: Map<string, LineRange[]>
}

/** Files and their lines at once, for branches that change few. A head is missing when its answer cannot be read this way. */
export async function readTouchedLines(
  git: ReadingGit,
  comparisons: readonly Comparison[],
): Promise<Map<string, TouchedLines>> {
  const input = comparisons.map(({ head, from }) => `${head} ${from}\n`).join('')
  const args = ['diff-tree', '--stdin', '-r', '--raw', '--full-index', ...PATCH]
  const result = await tryRadarGit(git, args, input)
  const found = new Map<string, TouchedLines>()
  if (!result.ok) return found
  const parts = new Map(splitByHead(result.stdout))
  for (const { head } of comparisons) {
    const part = parts.get(head)
    const lines = part === undefined ? null : linesOf(part)
    if (lines) found.set(head, lines)
  }
  return found
}

/** null: a name that git quotes. */
function linesOf(part: string): TouchedLines | null {
  const end = part.indexOf('\n\n')
  const raw = (end === -1 ? part : part.slice(0, end)).split('\n').filter(Boolean)
  const touched = new Map<string, TouchedFile>()
  for (const row of raw) {
    const [, from, letter, path] = /^:\d+ \d+ ([0-9a-f]+) [0-9a-f]+ ([A-Z])\t(.+)$/.exec(row) ?? []
    if (path === undefined || path.startsWith('"')) return null
    touched.set(path, { change: CHANGES[letter!] ?? 'modified', from: from! })
  }
  const changed = readChangedLines(end === -1 ? '' : part.slice(end + 2))
  return { touched, lines: new Map([...touched.keys()].map((path) => [path, changed.get(path) ?? []])) }
}

function splitByHead(output: string): Array<[string, string]> {
  return output.split(/^(?=[0-9a-f]{40,64}$)/m).flatMap((part): Array<[string, string]> => {
    const end = part.indexOf('\n')
    return end === -1 ? [] : [[part.slice(0, end), part.slice(end + 1)]]
  })
}

const PATCH = [
  ...['-p', '-U0', '--no-renames', '--no-color', '--no-ext-diff', '--no-textconv'],
  ...['--src-prefix=a/', '--dst-prefix=b/'],
]

const CHANGES: Readonly<Record<string, FileChange>> = { A: 'added', D: 'deleted' }

/** Changed lines of these files, by head and path. Binary files have none. */
export async function readLines(
  git: ReadingGit,
  comparisons: readonly Comparison[],
  paths: readonly string[],
): Promise<Map<string, Map<string, LineRange[]>>> {
  const found = new Map<string, Map<string, LineRange[]>>()
  if (comparisons.length === 0 || paths.length === 0) return found
  const input = comparisons.map(({ head, from }) => `${head} ${from}\n`).join('')
  const args = ['--literal-pathspecs', 'diff-tree', '--stdin', '-r', ...PATCH]
  const output = await radarGit(git, [...args, '--', ...paths], input)
  for (const [head, patch] of splitByHead(output)) found.set(head, readChangedLines(patch))
  return found
}
