// What a test runner reports: JUnit (pytest, vitest, Maven and most others), JSON of vitest and jest, `go test -json`, and TAP. The
// report is written by the change that is under test, so it is only ever compared with other things. Pure.
import { readXml } from './read-xml.ts'

export interface TestCase {
  /** As the runner calls it; of a file or package that could not be loaded: ''. */
  name: string
  /** As the runner wrote it: relative, absolute, or with dots in place of slashes. null: it does not say. */
  file: string | null
  status: 'passed' | 'failed' | 'skipped'
}

export interface TestReport {
  cases: TestCase[]
  /** Why it could not be read; null: it could. */
  problem: string | null
}

const MOST_CASES = 50_000
const LONGEST = 500

/** null: nothing in it is a report. */
export function readTestReport(text: string): TestReport | null {
  const cases: TestCase[] = []
  const add = (name: unknown, file: unknown, status: TestCase['status']) => {
    if (cases.length >= MOST_CASES) throw new Error(`it has more than ${MOST_CASES} tests`)
    cases.push({ name: short(name) ?? '', file: short(file), status })
  }
  try {
    const read = [readJUnit, readJson, readGo, readTap].some((reader) => reader(text, add))
    return read ? { cases, problem: null } : null
  } catch (error) {
    return { cases: [], problem: (error as Error).message }
  }
}

type Add = (name: unknown, file: unknown, status: TestCase['status']) => void

function short(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, LONGEST) : null
}

function readJUnit(text: string, add: Add): boolean {
  const start = text.search(/<testsuites?[\s>]/)
  const end = Math.max(text.lastIndexOf('</testsuites>'), text.lastIndexOf('</testsuite>'))
  if (start === -1) return false
  if (/<!DOCTYPE/i.test(text.slice(0, start))) throw new Error('it declares a document type, which reports do not need')
  const suites: Array<string | undefined> = []
  let test: { name: string | undefined; file: string | undefined; status: TestCase['status'] } | null = null
  readXml(text.slice(start, end === -1 ? undefined : text.indexOf('>', end) + 1), {
    open(name, attributes) {
      if (name === 'testsuite') suites.push(attributes.get('file'))
      else if (name === 'testcase') {
        const file = attributes.get('file') ?? suites.at(-1) ?? attributes.get('classname')
        test = { name: attributes.get('name'), file, status: 'passed' }
      } else if (test && (name === 'failure' || name === 'error')) test.status = 'failed'
      else if (test?.status === 'passed' && name === 'skipped') test.status = 'skipped'
    },
    close(name) {
      if (name === 'testsuite') suites.pop()
      if (name !== 'testcase' || test === null) return
      add(test.name, test.file, test.status)
      test = null
    },
  })
  return true
}

const STATUSES: ReadonlyMap<unknown, TestCase['status']> = new Map([
  ['passed', 'passed'],
  ['failed', 'failed'],
])

/** vitest and jest. */
function readJson(text: string, add: Add): boolean {
  const start = text.search(/^[ \t]*\{/m)
  if (start === -1 || !text.includes('"testResults"')) return false
  const report = JSON.parse(text.slice(start, text.lastIndexOf('}') + 1)) as { testResults?: unknown }
  if (!Array.isArray(report.testResults)) return false
  for (const suite of report.testResults as Array<Record<string, unknown> | null>) {
    const tests = Array.isArray(suite?.assertionResults) ? suite.assertionResults : []
    for (const test of tests as Array<Record<string, unknown> | null>)
      add(test?.fullName ?? test?.title, suite?.name, STATUSES.get(test?.status) ?? 'skipped')
    if (tests.length === 0 && suite?.status === 'failed') add('', suite.name, 'failed')
  }
  return true
}

const GO: ReadonlyMap<string, TestCase['status']> = new Map([
  ['pass', 'passed'],
  ['fail', 'failed'],
  ['skip', 'skipped'],
])

/** Each of them takes much longer than an event. */
const MOST_BROKEN = 10_000

function readGo(text: string, add: Add): boolean {
  let isGo = false
  let broken = 0
  for (const line of text.split('\n')) {
    if (!line.startsWith('{"')) continue
    const event = parsed(line)
    if (event === null && ++broken > MOST_BROKEN)
      throw new Error(`it has more than ${MOST_BROKEN} lines that are not events`)
    if (typeof event?.Action !== 'string' || (event.Package ?? event.ImportPath) === undefined) continue
    isGo = true
    const status = GO.get(event.Action)
    // A package that does not compile fails without a test.
    if (typeof event.Test === 'string' && status) add(event.Test, null, status)
    else if (event.Action === 'build-fail') add('', null, 'failed')
  }
  return isGo
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line) as Record<string, unknown> | null
  } catch {
    // Output of the tests between the events.
    return null
  }
}

const TAP_RESULT = /^(not )?ok\b(?:\s+\d+)?/i
const TAP_DIRECTIVE = /#\s*(?:skip|todo)\b/i

function readTap(text: string, add: Add): boolean {
  if (!/^[ \t]*(?:TAP version \d|1\.\.\d)/m.test(text)) return false
  let isDetail = false
  for (const line of text.split('\n')) {
    const trimmed = line.trim()
    if (trimmed === '---') isDetail = true
    else if (trimmed === '...') isDetail = false
    if (isDetail || trimmed.length > LONGEST * 2) continue
    const [result, not] = TAP_RESULT.exec(trimmed) ?? []
    if (result !== undefined) {
      const rest = trimmed.slice(result.length).trim().replace(/^-/, '')
      const at = rest.search(TAP_DIRECTIVE)
      add((at === -1 ? rest : rest.slice(0, at)).trim(), null, at !== -1 ? 'skipped' : not ? 'failed' : 'passed')
    } else if (trimmed.startsWith('Bail out!')) add('', null, 'failed')
  }
  return true
}
