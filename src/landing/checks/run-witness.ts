// The gate `witness`: tests that a change adds or alters run on the change, and on the commit that it started from. What the two runs and
// the texts of the tests amount to is decided in `core/witness`. A pair of trees is run once.
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AoError, errorText } from '../../contract/errors.ts'
import type { CheckFinding } from '../../contract/pull.ts'
import type { EnvironmentRule } from '../../core/session/agent-environment.ts'
import { showHiddenInLines } from '../../core/text/show-hidden.ts'
import type { TestFile } from '../../core/witness/compare-tests.ts'
import { describeMark } from '../../core/witness/describe-mark.ts'
import { judgeWitness, type TestRun, UNCOMPARED } from '../../core/witness/judge-witness.ts'
import { mayHaveBlocks } from '../../core/witness/test-blocks.ts'
import { testCommand, testMatchers, type WitnessRule } from '../../core/witness/test-files.ts'
import { readTestReport } from '../../core/witness/test-report.ts'
import { gitOn, tryGitOn } from '../../git/repository.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { namesIn, readIfThere, readTail } from '../../lib/plain-file.ts'
import { removeFile, removeTree } from '../../lib/remove.ts'
import type { CheckEnd } from '../../slots/far-checkout.ts'
import type { CheckStore, CiCommand } from './check-store.ts'
import { ciDirectory, withCheckout } from './ci-directory.ts'
import { type CommitRange, type RawChange, readChangedPaths, verifiedRange } from './read-change.ts'
import { runCheck } from './run-check.ts'
import { makeTestsOnBase } from './tests-on-base.ts'

export interface FoundEnd extends CheckEnd {
  finding?: CheckFinding | undefined
}

interface WitnessRun {
  /** As for every check. */
  env: NodeJS.ProcessEnv
  environment: EnvironmentRule
  store: CheckStore
  signal: AbortSignal
  command: CiCommand
  rule: WitnessRule
  range: CommitRange
}

export async function runWitness(request: WitnessRun, logFile: string): Promise<FoundEnd> {
  const { rule, command, signal, range } = request
  const changes = await readChangedPaths(range)
  const { isTest, isRunnable } = testMatchers(rule)
  const tests = changes.filter(({ path }) => isTest(path))
  const paths = tests.flatMap(({ path, status, mode }) =>
    status !== 'D' && mode.startsWith('100') && isRunnable(path) ? [path] : [],
  )
  const files = await readTexts(range, tests)
  const { witness, log } =
    tests.length > MOST_FILES
      ? { witness: { verdict: 'weakened' as const, text: UNCOMPARED, marks: [] }, log: '' }
      : paths.length === 0
        ? { witness: judgeWitness({ files, head: null, base: null }), log: '' }
        : await runOnce(request, { tests, paths, files })
  if (witness === null || signal.aborted)
    return { kind: 'cancelled', exitCode: null, why: `${command.name} was cancelled` }
  const { verdict, text, marks } = witness
  // A change of tests alone has nothing that they could fail without.
  const isAlone = tests.length === changes.length
  const isFine = verdict === 'witnessed' || verdict === 'none' || (verdict === 'unproven' && isAlone)
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 })
  writeFileAtomic(
    logFile,
    showHiddenInLines(
      `${[log, command.run, ...marks.map(describeMark), `${verdict}: ${text}`].filter(Boolean).join('\n')}\n`,
    ),
  )
  const kind = isFine || rule.advisory === true ? 'passed' : 'failed'
  return { kind, exitCode: null, why: `${verdict}: ${text}`, finding: { verdict, text, marks } }
}

const MOST_FILES = 300

interface Found {
  /** null: it was cancelled. */
  witness: CheckFinding | null
  log: string
}

interface ChangedTests {
  tests: readonly RawChange[]
  /** Those that the command is given. */
  paths: readonly string[]
  files: readonly TestFile[]
}

async function runOnce(request: WitnessRun, changed: ChangedTests): Promise<Found> {
  const { range, store, command } = request
  const directory = join(dirname(store.directory), 'witness')
  const vault = await verifiedRange(range)
  const tree = (await gitOn(vault, ['rev-parse', '--verify', `${range.to}^{tree}`], { read: true })).trim()
  const from = (await gitOn(vault, ['rev-parse', '--verify', `${range.from}^{tree}`], { read: true })).trim()
  const key = createHash('sha256')
    .update(JSON.stringify([tree, from, command.run]))
    .digest('hex')
  const file = join(directory, `${key}.json`)
  const earlier = readFound(file)
  if (earlier) return earlier
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const head = await runAt(request, { directory, commit: range.to, paths: changed.paths })
  const base = head?.run.end === 'passed' ? await runOnBase(request, { directory, changed }) : undefined
  if (head === null || base === null) return { witness: null, log: '' }
  const found: Found = {
    witness: judgeWitness({ files: changed.files, head: head.run, base: base?.run ?? null }),
    log: `With the change:\n${head.log}\n${base ? `Its tests without the change:\n${base.log}` : ''}`,
  }
  // Anything else may be different the next time.
  if (head.run.end === 'passed' && base?.run.end !== 'unknown') {
    writeFileAtomic(file, `${JSON.stringify(found)}\n`)
    sweep(directory)
  }
  return found
}

/** null: it was cancelled. */
async function runOnBase(request: WitnessRun, { directory, changed }: { directory: string; changed: ChangedTests }) {
  try {
    const { commit } = await makeTestsOnBase(request.range, changed.tests)
    return await runAt(request, { directory, commit, paths: changed.paths })
  } catch (error) {
    if (!(error instanceof AoError) || error.code !== 'GIT_FAILED') throw error
    return { run: unknownRun(`git cannot put them there: ${errorText(error)}`), log: '' }
  }
}

const LOG_BYTES = 8 * 1024
const UNSTARTED: ReadonlySet<number | null> = new Set([126, 127])

/** In a checkout of its own. null: it was cancelled. */
async function runAt(
  { env, environment, signal, range, command, rule }: WitnessRun,
  { directory, commit, paths }: { directory: string; commit: string; paths: readonly string[] },
): Promise<{ run: TestRun; log: string } | null> {
  const ci = ciDirectory(directory)
  const results = mkdtempSync(join(directory, 'run-'))
  const [report, logFile] = [join(results, 'report'), join(results, 'log')]
  try {
    const text = testCommand(rule, { paths, report })
    const marker = `witness-${randomUUID()}`
    const startedAt = performance.now()
    const { kind, exitCode, why } = await withCheckout(ci, range.repository, { commit, marker }, () =>
      runCheck({
        command: { name: command.name, run: text, timeoutMs: command.timeoutMs },
        directory: ci.worktree,
        rule: environment,
        ...{ env, marker, logFile, signal },
      }),
    )
    if (kind === 'cancelled') return null
    const log = readTail(logFile, LOG_BYTES).toString('utf8')
    // Ended by a signal or by the time limit, or never started: that says nothing about the tests.
    const isEnded = performance.now() - startedAt >= command.timeoutMs
    if (exitCode === null || isEnded || UNSTARTED.has(exitCode)) return { run: unknownRun(why), log }
    return { run: { end: kind, why, report: readReport(rule, { report, logFile }) }, log }
  } finally {
    removeTree(results)
  }
}

function unknownRun(why: string): TestRun {
  return { end: 'unknown', why, report: null }
}

/** It is written by what is under test: anything but a plain file of a sensible size is as good as none, and said. */
function readReport(rule: WitnessRule, { report, logFile }: { report: string; logFile: string }): TestRun['report'] {
  try {
    const text = rule.witness.includes('{report}') ? readIfThere(report, { noFollow: true }) : readIfThere(logFile)
    return text === null ? null : readTestReport(text)
  } catch (error) {
    if (!(error instanceof AoError)) throw error
    return { cases: [], problem: String(error.details?.why ?? error.message) }
  }
}

/** As git writes modes. */
const NOTHING = '000000'
const SUBMODULE = '160000'

async function readTexts(range: CommitRange, tests: readonly RawChange[]): Promise<TestFile[]> {
  const vault = await verifiedRange(range)
  const textOf = async (path: string, { blob, mode }: RawChange['before']) => {
    if (mode === NOTHING || mode === SUBMODULE) return null
    if (!mayHaveBlocks(path)) return undefined
    try {
      const result = await tryGitOn(vault, ['cat-file', 'blob', blob], { read: true, maxOutputBytes: 1024 * 1024 })
      return result.ok ? result.stdout : undefined
    } catch (error) {
      if (!(error instanceof AoError) || error.code !== 'GIT_FAILED') throw error
      return undefined
    }
  }
  const files: TestFile[] = []
  for (const { path, before, mode, blob } of tests.slice(0, MOST_FILES))
    files.push({ path, before: await textOf(path, before), after: await textOf(path, { blob, mode }) })
  return files
}

function readFound(file: string): Found | null {
  try {
    const text = readIfThere(file, { noFollow: true })
    return text === null ? null : (JSON.parse(text) as Found)
  } catch {
    // Damaged: running it again is the way to know.
    return null
  }
}

const MOST_FOUND = 500

function sweep(directory: string): void {
  const names = namesIn(directory).filter((name) => name.endsWith('.json'))
  for (const name of names.slice(0, Math.max(0, names.length - MOST_FOUND))) removeFile(join(directory, name))
}
