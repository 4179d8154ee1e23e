// Which lines of a change never ran while its checks did. Pure.
import type { CheckFinding, CheckMark } from '../../contract/pull.ts'
import type { Coverage } from './read-coverage.ts'

const MOST_MARKS = 200

export interface LineFacts {
  added: ReadonlyArray<{ path: string; line: number }>
  /** Of the files of the change. */
  coverage: Coverage
  /** Endings of all files in the report. */
  kinds: ReadonlySet<string>
  /** Why the report cannot be read; null: it can. */
  problem: string | null
}

export function judgeLines({ added, coverage, kinds, problem }: LineFacts): CheckFinding {
  if (problem !== null) return { verdict: 'uncovered', text: `which lines ran is unknown: ${problem}`, marks: [] }
  const counted = added.filter(({ path, line }) => coverage.get(path)?.has(line))
  const never = counted.filter(({ path, line }) => coverage.get(path)?.get(line) === 0)
  const missing = unreported(added, { coverage, kinds })
  const also =
    missing.length === 0
      ? ''
      : `; ${missing.length} changed ${missing.length === 1 ? 'file is' : 'files are'} not in the report`
  const of = `${counted.length} changed ${counted.length === 1 ? 'line' : 'lines'}`
  const marks = [
    ...joined(never).slice(0, MOST_MARKS),
    ...missing.slice(0, MOST_MARKS).map((path) => ({ path, line: 1, text: 'no report of coverage has this file' })),
  ]
  if (never.length > 0) return { verdict: 'uncovered', text: `${never.length} of ${of} never ran${also}`, marks }
  if (counted.length === 0 && missing.length === 0)
    return { verdict: 'none', text: 'it changes no lines that are measured', marks }
  return { verdict: missing.length > 0 ? 'uncovered' : 'covered', text: `all of ${of} ran${also}`, marks }
}

/** Lines that follow each other are one mark. */
function joined(lines: ReadonlyArray<{ path: string; line: number }>): CheckMark[] {
  const marks: CheckMark[] = []
  for (const { path, line } of lines) {
    const last = marks.at(-1)
    if (last?.path === path && (last.to ?? last.line) + 1 === line) last.to = line
    else marks.push({ path, line, text: 'it never ran' })
  }
  return marks
}

/** Files of a kind that the report does have: those that nothing loaded are missing from most reports. */
function unreported(added: LineFacts['added'], { coverage, kinds }: Pick<LineFacts, 'coverage' | 'kinds'>): string[] {
  const paths = [...new Set(added.map(({ path }) => path))]
  return paths.filter((path) => kinds.has(kindOf(path)) && !coverage.has(path) && !isTest(path))
}

/** The ending of a file's name. */
export function kindOf(path: string): string {
  return /\.\w+$/.exec(path)?.[0] ?? ''
}

function isTest(path: string): boolean {
  return /(?:^|\/)(?:tests?|__tests__|spec|e2e)\/|[._](?:test|spec)\.\w+$|(?:^|\/)test_[^/]*$|\.d\.ts$/.test(path)
}

const LONGEST_NAME = 4_096
const DEEPEST = 64

/** Finds what a report calls a file among those of the tree: absolute, relative, or below the name of a module. */
export function fileFinder(tree: readonly string[], directory: string): (reported: string) => string | null {
  const all = new Set(tree)
  let ends: ReadonlyMap<string, string | null> | null = null
  return (reported) => {
    if (reported.length > LONGEST_NAME) return null
    const plain = reported.replace(/\\/g, '/').replace(/^\.\//, '')
    const own = plain.startsWith(`${directory}/`) ? plain.slice(directory.length + 1) : plain
    let rest = own
    for (let depth = 0; rest !== '' && depth < DEEPEST; depth++) {
      if (all.has(rest)) return rest
      rest = rest.includes('/') ? rest.slice(rest.indexOf('/') + 1) : ''
    }
    // Cobertura's names begin at a source directory.
    ends ??= endsOf(tree)
    return ends.get(own) ?? null
  }
}

/** By what comes behind one of its slashes; null: several end like this. A report may ask for millions. */
function endsOf(tree: readonly string[]): Map<string, string | null> {
  const ends = new Map<string, string | null>()
  for (const path of tree) {
    let at = path.lastIndexOf('/')
    for (let depth = 0; at !== -1 && depth < DEEPEST; depth++) {
      const end = path.slice(at + 1)
      ends.set(end, ends.has(end) ? null : path)
      at = at === 0 ? -1 : path.lastIndexOf('/', at - 1)
    }
  }
  return ends
}
