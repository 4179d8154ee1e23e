// Do the tests of a change prove anything? They ran on the change and on the commit that it started from: red there and green here is
// witnessed. What was taken away from tests is found in their texts. Pure, and without anybody's opinion.
import type { CheckFinding, CheckMark } from '../../contract/pull.ts'
import { visibleLine } from '../text/visible-text.ts'
import { compareTests, findUncompared, type TestFile, type TestPair } from './compare-tests.ts'
import { mayHaveBlocks } from './test-blocks.ts'
import type { TestCase, TestReport } from './test-report.ts'

export interface TestRun {
  /** `unknown`: it was not started, or not ended by itself. */
  end: 'passed' | 'failed' | 'unknown'
  /** How it ended, in words. */
  why: string
  /** null: it left none. */
  report: TestReport | null
}

type Mark = CheckMark
type Verdict = CheckFinding['verdict']

export interface WitnessFacts {
  files: readonly TestFile[]
  /** null: no test of the change could be run. */
  head: TestRun | null
  /** null: it was not needed. */
  base: TestRun | null
}

const MOST_MARKS = 100
export const UNCOMPARED = 'it changes more tests than can be compared, so it is unknown whether it weakens any'
/** Of its tests with those of a report. */
const MOST_COMPARISONS = 5_000_000

export function judgeWitness({ files, head, base }: WitnessFacts): CheckFinding {
  const answer = (verdict: Verdict, text: string, marks: readonly Mark[]): CheckFinding => {
    return { verdict, text, marks: marks.slice(0, MOST_MARKS) }
  }
  const pairs = compareTests(files)
  if (pairs === null) return answer('weakened', uncomparedText(files), [])
  const most = MOST_COMPARISONS / Math.max(1, head?.report?.cases.length ?? 0, base?.report?.cases.length ?? 0)
  const { length } = pairs
  const isMuch = length > most
  const weakened = [...pairs.flatMap(weaknesses), ...(isMuch ? [] : skippedByRunning(pairs, head))]
  if (head !== null && redBecause(head) !== null) return answer('red', `its tests fail: ${redBecause(head)}`, weakened)
  if (weakened.length > 0) return answer('weakened', weakenedText(weakened), weakened)
  if (head === null) return answer('none', 'it changes no tests that could be run', [])
  if (base === null || base.end === 'unknown')
    return answer(
      'unproven',
      `it is unknown whether its tests fail without the change: ${base?.why ?? 'they did not run'}`,
      [],
    )
  const changed = pairs.filter(({ kind, after }) => after !== null && (kind === 'added' || kind === 'altered'))
  const tests = [...changed.map(asTest), ...unreadable(files, head)]
  if (isMuch || tests.length > most) return answer('unproven', 'it has more tests than can be found in the report', [])
  const seen = tests.map((test) => ({ ...test, here: outcomeOf(head, test), there: outcomeOf(base, test) }))
  const red = seen.filter(({ here, there }) => here === 'passed' && there === 'failed')
  const green = seen.filter(({ here, there }) => here === 'passed' && there !== 'failed')
  const idle = [...seen.filter(({ here }) => here !== 'passed'), ...unrun(pairs, head)]
  const marks = [
    ...green.map((test) => markOf(test, 'it passes without the change too')),
    ...idle.map((test) => markOf(test, 'it did not run')),
  ]
  const rest = idle.length === 0 ? '' : `; ${count(idle.length, 'test')} did not run`
  if (red.length > 0) {
    const how = base.report === null && head.report !== null ? 'cannot be loaded' : red.length === 1 ? 'fails' : 'fail'
    const also = green.length === 0 ? '' : `; ${green.length} more ${green.length === 1 ? 'proves' : 'prove'} nothing`
    const text = `${count(red.length, 'test')} ${how} without the change and ${red.length === 1 ? 'passes' : 'pass'} with it`
    return answer('witnessed', `${text}${head.report === null ? ', by exit code' : ''}${also}${rest}`, marks)
  }
  const why =
    base.end === 'failed'
      ? `without the change the run failed (${base.why}), but none of its tests did`
      : 'its tests pass without the change too, so they prove nothing'
  return answer('unproven', `${why}${rest}`, marks)
}

/** null: the tests pass, and exit code and report agree. */
function redBecause({ end, why, report }: TestRun): string | null {
  if (end !== 'passed') return why
  if (report?.problem) return `their report cannot be read: ${report.problem}`
  const failed = report?.cases.find(({ status }) => status === 'failed')
  return failed ? `${shown(failed.name)} failed, says the report, although the command ended well` : null
}

interface Test {
  path: string
  line: number
  title: string
}

function asTest({ path, after }: TestPair): Test {
  return { path, line: after!.line, title: after!.title! }
}

/** Of files in an unknown language: what the report says is in them. */
function unreadable(files: readonly TestFile[], { report }: TestRun): Test[] {
  return files
    .filter(({ path, after }) => after !== null && !mayHaveBlocks(path))
    .flatMap(({ path }) => {
      const own = report?.cases.filter(({ file }) => file !== null && isFile(file, path)) ?? []
      const names = report === null ? [path] : [...new Set(own.map(({ name }) => name))]
      return names.map((title) => ({ path, line: 1, title }))
    })
}

/** `unknown`: it did not run there, or nobody can tell. */
function outcomeOf({ end, report }: TestRun, { path, title }: Test): 'passed' | 'failed' | 'unknown' {
  // Without a report there is only the exit code, for all of them together.
  if (report === null) return end
  const own = casesOf(report.cases, path, title)
  if (own.length > 0 && own.every(({ status }) => status === 'skipped')) return 'unknown'
  // A command that ended well did not see anything fail, whatever its report says.
  const hasFailed = end === 'failed' && (own.some(isFailed) || (own.length === 0 && isUnloaded(report, path)))
  if (hasFailed) return 'failed'
  return own.length === 0 ? 'unknown' : 'passed'
}

function isFailed({ status }: TestCase): boolean {
  return status === 'failed'
}

/** Its file or package could not be loaded. pytest and vitest name it as if it were a test. */
function isUnloaded({ cases }: TestReport, path: string): boolean {
  return cases.some(
    (one) =>
      isFailed(one) && (one.name === '' || isFile(one.name, path)) && (one.file === null || isFile(one.file, path)),
  )
}

function markOf({ path, line, title }: Test, text: string): Mark {
  return { path, line, text: `${shown(title)}: ${text}` }
}

function casesOf(cases: readonly TestCase[], path: string, title: string): TestCase[] {
  return cases.filter(
    ({ name, file }) => isNamed(name, title) && (file === null || !/[/.]/.test(file) || isFile(file, path)),
  )
}

/** `src/a.test.ts` as a runner writes it: absolute, relative to something, or `src.a.TestSum`. */
function isFile(reported: string, path: string): boolean {
  const plain = reported.replace(/\\/g, '/').replace(/^\.\//, '')
  if (plain === path || plain.endsWith(`/${path}`) || path.endsWith(`/${plain}`)) return true
  if (plain.includes('/')) return false
  const dotted = path.replace(/\.\w+$/, '').replace(/\//g, '.')
  const name = path.slice(path.lastIndexOf('/') + 1).split('.', 1)[0]!
  return [dotted, name].some((one) => `.${plain}.`.includes(`.${one}.`))
}

function withoutEnd(name: string, open: string, close: string): string {
  return name.endsWith(close) && name.includes(open) ? name.slice(0, name.indexOf(open)) : name
}

/** Runners put the names of groups before it and parameters behind it; a title may be a pattern itself. */
function isNamed(name: string, title: string): boolean {
  if (!/[%$#]/.test(title) && !name.includes(title)) return false
  const [literal = ''] = title.split(/%[sdifjoOp#%]|\$\{|\$\w|#\{/)
  if (literal.length < title.length) return literal.trim() === '' || name.includes(literal.trim())
  const plain = withoutEnd(withoutEnd(name, '[', ']'), '(', ')')
  return (
    [name, plain].some(
      (one) => one === title || (one.endsWith(title) && /[\s>./:#]/.test(one.charAt(one.length - title.length - 1))),
    ) || name.startsWith(`${title}/`)
  )
}

function weaknesses({ path, kind, before, after }: TestPair): Mark[] {
  if (kind === 'deleted' && before !== null)
    return [{ path, line: before.line, isOld: true, text: `${shown(before.title!)}: it was deleted` }]
  if (before === null || after === null) return []
  const name = after.title === null ? 'before the first test' : shown(after.title)
  const mark = (line: number, text: string): Mark => ({ path, line, text: `${name}: ${text}` })
  if (after.skips.length > before.skips.length)
    return [mark(after.skips.at(-1)!, 'it is skipped now, or keeps others from running')]
  if (after.assertions < before.assertions)
    return [mark(after.line, `${count(before.assertions, 'assertion')} became ${after.assertions}`)]
  if (after.comparisons < before.comparisons)
    return [
      mark(after.line, `${count(before.comparisons, 'comparison')} with an expected value became ${after.comparisons}`),
    ]
  return []
}

/** Nothing in its text skips it, and the report says that it was skipped. */
function skippedByRunning(pairs: readonly TestPair[], head: TestRun | null): Mark[] {
  const isKept = keptIn(pairs)
  const kept = pairs.filter((pair) => isKept(pair) && pair.after!.skips.length <= pair.before!.skips.length)
  return kept.map(asTest).flatMap((test) => {
    const own = casesOf(head?.report?.cases ?? [], test.path, test.title)
    const isSkipped = own.length > 0 && own.every(({ status }) => status === 'skipped')
    return isSkipped ? [markOf(test, 'it is skipped now, says the report')] : []
  })
}

/** Unchanged tests of changed files that no report shows. That need not be the doing of the change. */
function unrun(pairs: readonly TestPair[], head: TestRun): Test[] {
  if (head.report === null) return []
  const isKept = keptIn(pairs)
  const kept = pairs.filter((pair) => pair.kind === 'same' && isKept(pair)).map(asTest)
  return kept.filter((test) => outcomeOf(head, test) === 'unknown')
}

/** It was there before, in a file that skipped nothing. */
function keptIn(pairs: readonly TestPair[]): (pair: TestPair) => boolean {
  const skipping = new Set(pairs.flatMap(({ path, before }) => ((before?.skips.length ?? 0) > 0 ? [path] : [])))
  return ({ path, before, after }) => before !== null && after !== null && after.title !== null && !skipping.has(path)
}

function uncomparedText(files: readonly TestFile[]): string {
  const path = findUncompared(files)
  if (path === null) return UNCOMPARED
  return `${visibleLine(path)} is too large to be compared or cannot be read, so it is unknown whether it weakens tests`
}

function weakenedText(marks: readonly Mark[]): string {
  const [first] = marks
  const more = marks.length > 1 ? `, and ${marks.length - 1} more` : ''
  return `it weakens tests: ${visibleLine(first!.path)}:${first!.line} ${first!.text}${more}`
}

const LONGEST_NAME = 120

function shown(name: string): string {
  const cut = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name
  return `"${visibleLine(cut)}"`
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}
