// The coverage that a gate's command left in its checkout, about the lines that its change adds. Links out of the checkout, pipes, floods and
// files that were there before the command began are as good as none, and said.
import { realpathSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import type { CheckFinding } from '../../contract/pull.ts'
import { fileFinder, judgeLines, kindOf } from '../../core/witness/lines-that-ran.ts'
import { type Coverage, MOST_STEPS, readCoverage } from '../../core/witness/read-coverage.ts'
import { gitOn, tryGitOn } from '../../git/repository.ts'
import { pathInside } from '../../lib/inside-directory.ts'
import { filesIn, readPlainText } from '../../lib/plain-file.ts'
import { type CommitRange, readAddedLines, verifiedRange } from './read-change.ts'

export interface CoverageRun {
  /** As it is configured: a file, or a directory of JSON files. */
  path: string
  directory: string
  /** Milliseconds since 1970. */
  startedAt: number
  range: CommitRange
}

const MOST_BYTES = 64 * 1024 * 1024
const MOST_FILES = 200
const MOST_TEXT = 4 * 1024 * 1024
/** Clocks of file systems are a little behind. */
const CLOCK_MS = 10

export async function readLinesThatRan(run: CoverageRun): Promise<CheckFinding> {
  const added = await readAddedLines(run.range)
  const vault = await verifiedRange(run.range)
  const names = (await gitOn(vault, ['ls-tree', '-r', '-z', '--name-only', run.range.to], { read: true })).split('\0')
  const changed = new Set(added.map(({ path }) => path))
  const find = fileFinder(names.filter(Boolean), run.directory)
  const coverage: Coverage = new Map()
  const kinds = new Set<string>()
  const onlyChanged = (reported: string) => {
    const path = find(reported)
    if (path !== null) kinds.add(kindOf(path))
    return path !== null && changed.has(path) ? path : null
  }
  let problem: string | null = null
  try {
    const reports = reportsOf(run)
    await refuseCommitted(run, vault, { names: new Set(names), reports })
    const texts = [...reports.values()].some((text) => text.includes('"isBlockCoverage"'))
      ? await readTexts(run.range, changed)
      : null
    const files = { find: onlyChanged, textOf: (path: string) => texts?.get(path) ?? null, left: { steps: MOST_STEPS } }
    if ([...reports.values()].filter((text) => readCoverage(text, files, coverage)).length === 0)
      problem = `${run.path} is in an unknown form`
  } catch (error) {
    problem = error instanceof AoError ? `${run.path} ${error.details.why ?? error.message}` : (error as Error).message
  }
  return judgeLines({ added, coverage, kinds, problem })
}

/** V8 counts characters. */
async function readTexts(range: CommitRange, paths: Iterable<string>): Promise<Map<string, string>> {
  const vault = await verifiedRange(range)
  const texts = new Map<string, string>()
  for (const path of paths) {
    const blob = await tryGitOn(vault, ['cat-file', 'blob', `${range.to}:${path}`], {
      read: true,
      maxOutputBytes: MOST_TEXT,
    })
    if (blob.ok) texts.set(path, blob.stdout)
  }
  return texts
}

/** By file below the directory. */
function reportsOf({ path, directory, startedAt }: CoverageRun): Map<string, string> {
  const real = pathInside(directory, path)
  if (real === null) throw new Error(`${path} leads out of the checkout`)
  const stats = statSync(real, { throwIfNoEntry: false })
  if (stats === undefined) throw new Error(`the command wrote no ${path}`)
  const isDirectory = stats.isDirectory()
  const files = isDirectory
    ? filesIn(real)
        .filter((name) => name.endsWith('.json'))
        .map((name) => join(real, name))
    : [real]
  if (files.length > MOST_FILES) throw new Error(`${path} has more than ${MOST_FILES} files`)
  // Left by an earlier command: it says nothing about this run.
  if (files.some((file) => statSync(file).mtimeMs < startedAt - CLOCK_MS))
    throw new Error(`${path} is older than the run`)
  let left = MOST_BYTES
  const root = realpathSync(directory)
  return new Map(
    files.map((file) => {
      const text = readPlainText(file, { noFollow: true, maxBytes: left })
      left -= text.length
      return [relative(root, file), text]
    }),
  )
}

/** A checkout takes milliseconds, so times alone do not tell what the change itself brought along. */
async function refuseCommitted(
  { range, path }: CoverageRun,
  vault: Parameters<typeof tryGitOn>[0],
  { names, reports }: { names: ReadonlySet<string>; reports: ReadonlyMap<string, string> },
): Promise<void> {
  for (const [name, text] of reports) {
    if (!names.has(name)) continue
    const committed = await tryGitOn(vault, ['cat-file', 'blob', `${range.to}:${name}`], {
      read: true,
      maxOutputBytes: MOST_BYTES,
    })
    if (!committed.ok || committed.stdout === text) throw new Error(`${path} is part of the commit`)
  }
}
