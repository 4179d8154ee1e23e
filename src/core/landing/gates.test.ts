import { describe, expect, it } from 'vitest'
import { pathMatcher } from '../text/match-path.ts'
import { holdsSecret, redact } from '../text/redact.ts'
import { foldGates } from './fold-gates.ts'
import { type ChangedFile, type GateRule, judgeChange } from './judge-change.ts'
import { changedChecks, scriptsOf } from './own-checks/changed-checks.ts'

const file = (path: string, more: Partial<ChangedFile> = {}): ChangedFile => ({
  path,
  status: 'M',
  lines: 1,
  bytes: 10,
  ...more,
})

describe('a path against a pattern', () => {
  it.each([
    ['infra/', 'infra/main.tf', true],
    ['infra', 'src/infra/main.tf', true],
    ['/infra', 'src/infra/main.tf', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/deep/er/a.ts', true],
    ['**/*.pem', 'keys/a.pem', true],
    ['*.pem', 'a.pem.txt', false],
    ['a?c', 'abc', true],
    ['a.c', 'abc', false],
    ['(x)+', '(x)+', true],
    ['constructor', 'src/constructor/a.ts', true],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(pathMatcher([pattern])(path)).toBe(expected)
  })
})

describe('a rule', () => {
  const files = [
    file('src/a.ts', { lines: 30 }),
    file('infra/x.tf', { status: 'D', bytes: null }),
    file('big.bin', { bytes: 5000 }),
  ]
  const key = `ghp_${'a1'.repeat(18)}`
  const added = [
    { path: 'src/a.ts', line: 3, text: 'const token = readToken()' },
    { path: 'src/a.ts', line: 4, text: `const token = "${key}"` },
    { path: 'test/fixture.txt', line: 1, text: key },
  ]
  it.each<[GateRule, string[]]>([
    [{ forbid: ['infra/'] }, ['infra/x.tf must not be changed, and it is deleted']],
    [{ forbid: ['infra/'], except: ['*.tf'] }, []],
    [{ maxFiles: 3, maxLines: 32, maxFileKb: 5 }, []],
    [{ maxFiles: 2 }, ['it changes 3 files; 2 are allowed']],
    [{ maxLines: 31 }, ['it changes 32 lines; 31 are allowed']],
    [{ maxFileKb: 4 }, ['big.bin has 5 KB; 4 are allowed']],
    [
      { secrets: true },
      [
        'src/a.ts:4 adds something that has the form of a secret',
        'test/fixture.txt:1 adds something that has the form of a secret',
      ],
    ],
    [{ secrets: true, except: ['test/'] }, ['src/a.ts:4 adds something that has the form of a secret']],
  ])('%j', (rule, found) => {
    expect(judgeChange(rule, { files, added })).toEqual(found)
  })

  it('is not evaded by another spelling, nor its words by a name', () => {
    const odd = [file('INFRA/x.tf', {}), file('infra/a\n\u202e\u001b[2J.tf', {})]
    expect(judgeChange({ forbid: ['infra/'] }, { files: odd, added: [] })).toEqual([
      'INFRA/x.tf must not be changed, and it is modified',
      'infra/a\\u000a\\u202e\\u001b[2J.tf must not be changed, and it is modified',
    ])
  })

  it('never repeats the secret itself, and shows a bounded part of what it found', () => {
    const many = Array.from({ length: 80 }, (_, line) => ({ path: 'a', line, text: key }))
    const found = judgeChange({ secrets: true }, { files, added: many })
    expect(found.join()).not.toContain(key)
    expect([found.length, found.at(-1)]).toEqual([51, 'and 30 more'])
  })

  it('what has the form of a secret is also redacted', () => {
    for (const text of [key, `AKIA${'A'.repeat(16)}`, '-----BEGIN RSA PRIVATE KEY-----']) {
      expect([text, holdsSecret(text), redact(text)]).toEqual([text, true, expect.not.stringContaining(text)])
    }
    for (const text of ['const password = prompt()', 'skip-this-1', 'task-force']) expect(holdsSecret(text)).toBe(false)
  })
})

describe('own checks that a change touches', () => {
  const marked = (path: string, status: ChangedFile['status'] = 'M', isScript = false) =>
    changedChecks([{ path, status }], {
      commands: ['sh ./scripts/gate.sh --strict', 'npm test'],
      commandsChanged: () => isScript,
    }).length > 0
  it.each([
    ['test/cart.test.ts', true],
    ['src/cart.spec.tsx', true],
    ['pkg/cart_test.go', true],
    ['.github/workflows/ci.yml', true],
    ['vitest.config.ts', true],
    ['packages/web/tsconfig.json', true],
    ['scripts/gate.sh', true],
    ['agent-orchestrator.yaml', true],
    ['src/cart.ts', false],
    ['src/latest.ts', false],
    ['docs/testing.md', false],
  ])('%s: %s', (path, expected) => {
    expect(marked(path)).toBe(expected)
  })

  it('a new test is fine, a deleted one is not; new settings of a tool count', () => {
    expect([marked('test/new.test.ts', 'A'), marked('test/old.test.ts', 'D'), marked('jest.config.js', 'A')]).toEqual([
      false,
      true,
      true,
    ])
  })

  it('package.json counts when its scripts changed, not when a dependency did', () => {
    expect([marked('package.json'), marked('package.json', 'M', true)]).toEqual([false, true])
    const before = JSON.stringify({ scripts: { test: 'vitest' }, dependencies: { a: '1' } })
    const after = JSON.stringify({ dependencies: { a: '2' }, scripts: { test: 'vitest' } })
    expect(scriptsOf('package.json', before)).toBe(scriptsOf('package.json', after))
    expect(scriptsOf('package.json', before)).not.toBe(scriptsOf('package.json', '{"scripts":{"test":"true"}}'))
    expect(scriptsOf('package.json', '{')).toBe('{')
  })

  it.each([
    [
      'pyproject.toml',
      '[project]\nversion = "1"\n[tool.pytest.ini_options]\naddopts = "-q"\n',
      'version = "1"',
      '"-q"',
    ],
    ['lib/setup.cfg', '[metadata]\nversion = 1\n[tool:pytest]\ntestpaths = tests\n', 'version = 1', 'tests\n'],
  ])('%s counts when the settings of its tests changed, not its version', (path, text, version, testing) => {
    expect(marked(path, 'M', true)).toBe(true)
    expect(scriptsOf(path, text.replace(version, 'version = "2"'))).toBe(scriptsOf(path, text))
    expect(scriptsOf(path, text.replace(testing, '"--collect-only"'))).not.toBe(scriptsOf(path, text))
  })

  it('a new file that decides which tests run counts', () => {
    expect([marked('tests/conftest.py', 'A'), marked('tests/test_new.py', 'A')]).toEqual([true, false])
  })
})

describe('a forge and the gates together', () => {
  const gate = (status: 'pending' | 'running' | 'passed' | 'failed') => ({ id: 'g', name: 'gate: x', status })
  it.each([
    ['passing', [], 'passing'],
    ['none', [gate('passed')], 'passing'],
    ['passing', [gate('passed'), gate('pending')], 'pending'],
    ['passing', [gate('running')], 'pending'],
    ['pending', [gate('passed')], 'pending'],
    ['pending', [gate('failed')], 'failing'],
    ['failing', [gate('passed')], 'failing'],
  ] as const)('%s with %j is %s', (ci, gates, expected) => {
    const folded = foldGates({ ci, checks: [] as ReturnType<typeof gate>[] }, gates)
    expect([folded.ci, folded.checks.length]).toEqual([expected, gates.length])
  })
})
