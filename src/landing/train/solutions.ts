// Conflicts that were solved before are solved the same way again, with git's own rerere. What it remembers is in the train's
// directory, `landing/rerere`; the user's repository and settings are not touched. What came out is a car like every other:
// it lands only when its checks pass.
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isPlainSolution } from '../../core/landing/judge-solution.ts'
import { objectEnv } from '../../git/guard/alternates.ts'
import { gitOn, type Repository, tryGitOn } from '../../git/repository.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import { removeFile, removeTree } from '../../lib/remove.ts'
import type { MergedPair } from '../make-merge-commit.ts'
import { type Conflict, readMergeConflicts } from './merge-conflicts.ts'

export interface Solutions {
  /** null: at least one of the conflicts is new. */
  solve(repository: Repository, pair: MergedPair): Promise<{ tree: string; files: string[] } | null>
  /** The conflict of these two was solved in the commit. Returns the files whose solution is remembered now. */
  learn(repository: Repository, pair: MergedPair, solved: string): Promise<string[]>
}

/** Only in the process that runs the train. */
export function openSolutions(directory: string): Solutions {
  const root = join(directory, 'rerere')
  return {
    async solve(repository, pair) {
      // Nothing was ever learned.
      if (!existsSync(join(root, 'git'))) return null
      const found = await readMergeConflicts(repository, pair)
      if (found === null) return null
      return inScratch(root, repository, found.conflicts, async (scratch) => {
        await scratch.rerere()
        if ((await scratch.remaining()).size > 0) return null
        const solved = found.conflicts.map((conflict, index) => ({ ...conflict, text: scratch.read(index) }))
        return {
          tree: await writeTree(repository, scratch.index, found.tree, solved),
          files: solved.map(({ path }) => path),
        }
      })
    },
    async learn(repository, pair, solved) {
      const found = await readMergeConflicts(repository, pair)
      if (found === null) return []
      await prepare(root, repository)
      return inScratch(root, repository, found.conflicts, async (scratch) => {
        await scratch.rerere()
        const open = await scratch.remaining()
        const learned: string[] = []
        for (const [index, { path, marked }] of found.conflicts.entries()) {
          const text = open.has(index) ? await blobAt(repository, solved, path) : null
          if (text === null || !isPlainSolution(marked, text)) continue
          scratch.write(index, text)
          learned.push(path)
        }
        await scratch.rerere()
        await scratch.rerere('gc')
        return learned
      })
    },
  }
}

interface Scratch {
  /** For an index of its own. */
  index: string
  read(file: number): string
  write(file: number, text: string): void
  rerere(...args: string[]): Promise<void>
  /** Conflicts that are not solved. */
  remaining(): Promise<Set<number>>
}

const SETTINGS = ['-c', 'rerere.enabled=true', '-c', 'rerere.autoUpdate=false', '-c', 'core.autocrlf=false']

async function prepare(root: string, repository: Repository): Promise<void> {
  const git = join(root, 'git')
  if (existsSync(join(git, 'rr-cache'))) return
  mkdirSync(root, { recursive: true, mode: 0o700 })
  await gitOn({ ...repository, commonDir: root }, ['init', '--quiet', '--bare', '--template=', git])
  mkdirSync(join(git, 'rr-cache'), { recursive: true })
}

/** Files have numbers there: their names come from a repository, and mean nothing to rerere. */
async function inScratch<T>(
  root: string,
  repository: Repository,
  conflicts: readonly Conflict[],
  work: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const git = join(root, 'git')
  const scratch = mkdtempSync(join(root, 'scratch-'))
  const nameOf = (file: number) => `f${file}`
  const own: Repository = { commonDir: git, env: repository.env }
  const extraEnv = {
    GIT_WORK_TREE: scratch,
    GIT_INDEX_FILE: join(scratch, '.index'),
    ...objectEnv(join(git, 'objects'), [join(repository.commonDir, 'objects')]),
  }
  try {
    // What a process that died left half-way.
    removeFile(join(git, 'MERGE_RR'))
    removeFile(join(git, 'MERGE_RR.lock'))
    const stages = conflicts.flatMap(({ stages }, file) =>
      stages.map(({ mode, blob, stage }) => `${mode} ${blob} ${stage}\t${nameOf(file)}\n`),
    )
    await gitOn(own, ['update-index', '--index-info'], { extraEnv, input: stages.join('') })
    for (const [file, { marked }] of conflicts.entries()) writeFileSync(join(scratch, nameOf(file)), marked)
    const rerere = (args: readonly string[]) =>
      gitOn(own, [...SETTINGS, '-C', scratch, 'rerere', ...args], { extraEnv })
    return await work({
      index: join(scratch, '.tree'),
      read: (file) => readPlainText(join(scratch, nameOf(file))),
      write: (file, text) => writeFileSync(join(scratch, nameOf(file)), text),
      rerere: async (...args) => void (await rerere(args)),
      async remaining() {
        const names = (await rerere(['remaining'])).split('\n').filter(Boolean)
        return new Set(names.map((name) => Number(name.slice(1))))
      },
    })
  } finally {
    removeTree(scratch)
  }
}

/** The merged tree with the solved files in place of those with markers. */
async function writeTree(
  repository: Repository,
  index: string,
  tree: string,
  solved: ReadonlyArray<Conflict & { text: string }>,
): Promise<string> {
  const extraEnv = { GIT_INDEX_FILE: index }
  const lines: string[] = []
  for (const { path, mode, text } of solved) {
    const blob = (await gitOn(repository, ['hash-object', '-w', '--no-filters', '--stdin'], { input: text })).trim()
    lines.push(`${mode} ${blob}\t${path}\0`)
  }
  await gitOn(repository, ['read-tree', tree], { extraEnv })
  await gitOn(repository, ['update-index', '-z', '--index-info'], { extraEnv, input: lines.join('') })
  return (await gitOn(repository, ['write-tree'], { extraEnv })).trim()
}

async function blobAt(repository: Repository, commit: string, path: string): Promise<string | null> {
  const result = await tryGitOn(repository, ['cat-file', 'blob', `${commit}:${path}`], { read: true })
  return result.ok ? result.stdout : null
}
