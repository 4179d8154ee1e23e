// Does a change touch what it is judged by? Tests, CI configuration, the settings of the tools that gates run, and the
// files that gates name. A new test is no reason for suspicion; a changed or deleted one is worth a second reading. Pure.

import { oneLine } from '../../prompt/fence-untrusted.ts'
import { pathMatcher } from '../../text/match-path.ts'
import type { Followed } from './follow-checks.ts'

const isTest = pathMatcher([
  ...['test/', 'tests/', '__tests__/', 'spec/', 'e2e/', '__snapshots__/'],
  ...['*.test.*', '*.spec.*', '*_test.*', 'test_*.py', '*Test.java', '*Tests.cs'],
])
/** They decide which tests run at all: a new one counts, too. */
const isHarness = pathMatcher([
  'conftest.py',
  'sitecustomize.py',
  '*.pth',
  'tests/__init__.py',
  'jest.setup.*',
  'vitest.setup.*',
])
const isCi = pathMatcher([
  ...['.github/workflows/', '.github/actions/', '.gitlab-ci.yml', '.gitlab/ci/', '.forgejo/', '.gitea/', '.circleci/'],
  ...['.ci/', '.buildkite/', 'Jenkinsfile', 'azure-pipelines.yml', 'bitbucket-pipelines.yml', '.travis.yml'],
  ...['/agent-orchestrator.yaml', '/agent-orchestrator.yml', '.husky/', '.pre-commit-config.yaml', 'lefthook.yml'],
])
const isTool = pathMatcher([
  ...['vitest.config.*', 'vitest.workspace.*', 'jest.config.*', 'playwright.config.*', 'cypress.config.*', '.mocharc*'],
  ...['karma.conf.*', 'pytest.ini', 'tox.ini', 'noxfile.py', '.coveragerc', 'phpunit.xml*', '.rspec', 'codecov.yml'],
  ...['.eslintrc*', 'eslint.config.*', '.eslintignore', 'biome.json*', 'tsconfig*.json', 'ruff.toml', '.flake8'],
  ...['mypy.ini', '.golangci.y*ml', 'clippy.toml', '.rubocop.yml', '.gitleaks.toml', '.gitleaksignore', 'knip.json'],
])
/** Files that hold commands next to much else: they count when the commands changed. */
export const holdsCommands = pathMatcher([
  ...['package.json', 'Makefile', 'justfile', 'Taskfile.yml', 'pyproject.toml', 'setup.cfg'],
])

/** Where a command that does not say what it runs probably finds it. */
const isLikely = pathMatcher([
  ...['*.sh', '*.bash', '*.zsh', '*.mk', '*.bat', '*.ps1', 'scripts/', 'script/', 'bin/', 'ci/', 'tool/', 'tools/'],
  ...['hack/', 'build/', 'tasks/', 'Rakefile', 'gulpfile.*', 'Gruntfile.*', 'build.gradle*', 'build.xml', 'pom.xml'],
])

export interface PathChange {
  path: string
  status: 'A' | 'M' | 'D' | 'T'
  isProgram?: boolean | undefined
}

export interface OwnChecks {
  commands: readonly string[]
  /** What they run, before the change and with it. */
  followed?: readonly Followed[]
  commandsChanged(path: string): boolean
}

/** Paths; of one that nobody can be sure of, with the command. */
export function changedChecks(
  changes: readonly PathChange[],
  { commands, followed = [], commandsChanged }: OwnChecks,
): string[] {
  const named = new Set(commands.flatMap((command) => command.split(/[\s'"=;&|()<>]+/)).map(plainPath))
  const matches = pathMatcher(followed.flatMap(({ patterns }) => [...patterns].map((one) => `/${one}`)))
  const [unresolved] = followed.flatMap((one) => [...one.unresolved])
  return changes.flatMap(({ path, status, isProgram }) => {
    const references = followed.flatMap((one) => one.named.get(path) ?? [])
    const isRun = references.some(({ scripts, targets }) => scripts === undefined && targets === undefined)
    if (named.has(path) || isCi(path) || isTool(path) || isHarness(path)) return path
    if (holdsCommands(path) || (references.length > 0 && !isRun)) return commandsChanged(path) ? path : []
    if (isRun || matches(path) || (status !== 'A' && isTest(path))) return path
    const isSuspect = unresolved !== undefined && (isProgram === true || isLikely(path))
    return isSuspect ? `${path} (may be what runs in: ${oneLine(unresolved)})` : []
  })
}

function plainPath(word: string): string {
  return word.replace(/^\.\//, '')
}

/** Sections of pyproject.toml and setup.cfg that say what is tested, and how. */
const TESTING =
  /^\[+"?(?:tool[.:])?(?:pytest|coverage|mypy|ruff|flake8|pylint|pyright|tox|nox|hatch|pdm|poe|taskipy|unittest)/i

/** Only what a script or a test runner does: dependencies change all the time. */
export function scriptsOf(path: string, text: string | null): string {
  if (text === null) return ''
  if (/(?:^|\/)(?:pyproject\.toml|setup\.cfg)$/.test(path))
    return text
      .split(/^(?=\[)/m)
      .filter((section) => TESTING.test(section))
      .sort()
      .join('')
  if (!path.endsWith('package.json')) return text
  try {
    const { scripts = {} } = JSON.parse(text) as { scripts?: unknown }
    return JSON.stringify(scripts)
  } catch {
    return text
  }
}
