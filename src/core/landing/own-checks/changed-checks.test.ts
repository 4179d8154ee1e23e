import { describe, expect, it } from 'vitest'
import { changedChecks, holdsCommands, scriptsOf } from './changed-checks.ts'

const touched = (path: string, status: 'A' | 'M' | 'D' | 'T', commandsChanged = false) =>
  changedChecks([{ path, status }], {
    commands: ['./scripts/gate.sh --x=ci/rules.json'],
    commandsChanged: () => commandsChanged,
  })

describe('a change touches what it is judged by', () => {
  it.each([
    ...[
      '.github/workflows/ci.yml',
      '.github/actions/a/action.yml',
      '.gitlab-ci.yml',
      '.gitlab/ci/a.yml',
      '.forgejo/w.yml',
    ],
    ...['.gitea/w.yml', '.circleci/config.yml', '.ci/run.sh', '.buildkite/p.yml', 'Jenkinsfile', 'azure-pipelines.yml'],
    ...[
      'bitbucket-pipelines.yml',
      '.travis.yml',
      'agent-orchestrator.yaml',
      'agent-orchestrator.yml',
      '.husky/pre-push',
    ],
    ...['.pre-commit-config.yaml', 'lefthook.yml', 'vitest.config.ts', 'vitest.workspace.ts', 'jest.config.js'],
    ...[
      'playwright.config.ts',
      'cypress.config.js',
      '.mocharc.yml',
      'karma.conf.js',
      'pytest.ini',
      'tox.ini',
      'noxfile.py',
    ],
    ...[
      '.coveragerc',
      'phpunit.xml.dist',
      '.rspec',
      'codecov.yml',
      '.eslintrc.json',
      'eslint.config.mjs',
      '.eslintignore',
    ],
    ...['biome.jsonc', 'tsconfig.build.json', 'ruff.toml', '.flake8', 'mypy.ini', '.golangci.yaml', 'clippy.toml'],
    ...[
      '.rubocop.yml',
      '.gitleaks.toml',
      '.gitleaksignore',
      'knip.json',
      'pkg/conftest.py',
      'sitecustomize.py',
      'x.pth',
    ],
    ...['tests/__init__.py', 'jest.setup.ts', 'vitest.setup.ts', 'scripts/gate.sh', 'ci/rules.json'],
  ])('with %s, even if it is new', (path) => {
    expect([touched(path, 'A'), touched(path, 'M')]).toEqual([[path], [path]])
  })

  it.each([
    ...['test/a.ts', 'pkg/tests/a.py', 'src/__tests__/a.js', 'spec/a.rb', 'e2e/a.ts', 'src/__snapshots__/a.snap'],
    ...['src/a.test.ts', 'src/a.spec.js', 'a_test.go', 'test_a.py', 'ATest.java', 'ATests.cs'],
  ])('with %s, unless it is new', (path) => {
    expect([touched(path, 'A'), touched(path, 'M'), touched(path, 'D'), touched(path, 'T')]).toEqual([
      [],
      [path],
      [path],
      [path],
    ])
  })

  it.each(['package.json', 'web/package.json', 'Makefile', 'justfile', 'Taskfile.yml', 'pyproject.toml', 'setup.cfg'])(
    'with the commands in %s, and not with the rest of it',
    (path) => {
      expect([touched(path, 'M', true), touched(path, 'M', false), holdsCommands(path)]).toEqual([[path], [], true])
    },
  )

  it.each(['src/a.ts', 'README.md', 'docs/testing.md', 'pkg/agent-orchestrator.yaml', 'latest/a.ts'])(
    'not with %s',
    (path) => {
      expect(touched(path, 'M', true)).toEqual([])
    },
  )
})

it.each([
  ['package.json', null, ''],
  ['package.json', '{"scripts":{"a":"b"},"dependencies":{"c":"1"}}', '{"a":"b"}'],
  ['package.json', '{}', '{}'],
  ['package.json', '{ torn', '{ torn'],
  ['Makefile', 'all:\n\ttrue\n', 'all:\n\ttrue\n'],
  [
    'pyproject.toml',
    '[project]\nx=1\n[tool.ruff]\ny=2\n[tool.pytest.ini_options]\nz=3\n',
    '[tool.pytest.ini_options]\nz=3\n[tool.ruff]\ny=2\n',
  ],
  ['a/setup.cfg', '[metadata]\nx=1\n[flake8]\ny=2\n', '[flake8]\ny=2\n'],
])('the commands of %s with %j are %j', (path, text, commands) => expect(scriptsOf(path, text)).toBe(commands))
