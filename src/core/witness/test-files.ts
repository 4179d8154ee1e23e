// Which files of a change are tests, and the command that runs them. Their names come from the change: each is one quoted word. Pure.
import { pathMatcher } from '../text/match-path.ts'

export interface WitnessRule {
  witness: string
  /** Patterns in place of the usual names. */
  tests?: readonly string[] | undefined
  /** It says what it finds, and lets everything pass. */
  advisory?: boolean | undefined
}

const RUNNABLE = [
  ...[
    '*.test.*',
    '*.spec.*',
    '*_test.*',
    '*_spec.*',
    'test_*.py',
    '*Test.java',
    '*Tests.java',
    '*Test.kt',
    '*Tests.cs',
  ],
  ...['*Test.php', '*Tests.swift', '*.bats', '__tests__/'],
]
/** What tests use goes with them to the commit that the change started from. */
const BESIDE = ['test/', 'tests/', 'spec/', 'e2e/', 'testdata/', '__snapshots__/', '__mocks__/', 'conftest.py']

export function testMatchers({ tests }: Pick<WitnessRule, 'tests'>) {
  const isRunnable = pathMatcher(tests ?? RUNNABLE)
  const isBeside = pathMatcher(BESIDE)
  return { isRunnable, isTest: (path: string) => isRunnable(path) || isBeside(path) }
}

/** `{tests}`: the files; `{dirs}`: their directories, for Go; `{report}`: where the report goes. */
export function testCommand(
  { witness }: WitnessRule,
  { paths, report }: { paths: readonly string[]; report: string },
): string {
  const dirs = [...new Set(paths.map((path) => `./${path.slice(0, Math.max(0, path.lastIndexOf('/')))}`))]
  const inserted: Readonly<Record<string, string>> = {
    tests: paths.map((path) => quoted(path.startsWith('-') ? `./${path}` : path)).join(' '),
    dirs: dirs.map(quoted).join(' '),
    report: quoted(report),
  }
  return witness.replace(/\{(tests|dirs|report)\}/g, (_, word: string) => inserted[word]!)
}

function quoted(word: string): string {
  return /^[\w./@+:-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`
}
