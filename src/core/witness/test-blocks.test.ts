// Tests as text: where they are, how strict they are, and how they are named to a command.
import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { readTestBlocks, type TestBlock } from './test-blocks.ts'
import { testCommand, testMatchers } from './test-files.ts'
import { readTestReport } from './test-report.ts'

describe('the tests in a text', () => {
  const read = (path: string, text: string) =>
    (readTestBlocks(path, text) as TestBlock[])
      .slice(1)
      .map(({ title, line, assertions, skips }) => [title, line, assertions, skips.length])
  it('are found in several languages', () => {
    expect(
      read(
        'a_test.py',
        'import x\n\n@pytest.mark.skip\ndef test_a():\n    """assert 0"""\n    assert f(1) == 2  # assert 3\n\ndef test_b(self):\n    self.assertEqual(f(), 1)\n    with pytest.raises(ValueError):\n        f()\n',
      ),
    ).toEqual([
      ['test_a', 3, 1, 1],
      ['test_b', 8, 2, 0],
    ])
    expect(
      read(
        'a_test.go',
        'package a\nfunc TestA(t *testing.T) {\n\tt.Skip("no")\n\tif f() != 1 { t.Errorf("%d", f()) }\n}\n',
      ),
    ).toEqual([['TestA', 2, 1, 1]])
    expect(read('a.rs', '#[test]\n#[ignore]\nfn adds() {\n  assert_eq!(f(), 1);\n}\n')).toEqual([['adds', 1, 1, 1]])
    expect(read('a_spec.rb', "it 'adds' do\n  expect(f).to eq(1)\nend\n")).toEqual([['adds', 1, 1, 0]])
    expect(
      read(
        'a.test.ts',
        "test.each([['a', 1]])('of %s', (a) => {\n  expect(f(a)).toBe(1)\n})\nit.skip(`x`, () => {})\n",
      ),
    ).toEqual([
      ['of %s', 1, 1, 0],
      ['x', 4, 0, 1],
    ])
    expect(readTestBlocks('a.cobol', 'x')).toBeNull()
  })
  it('take time in proportion to its length', () => {
    for (const text of ['(', "'", '`', '/*', 'it(', "it('", 'expect(', '@a\n', 'describe.skip.', '\\']
      .map((one) => one.repeat(100_000))
      .concat(`1..1\n${`ok${' '.repeat(900)}#x\n`.repeat(20)}`)) {
      const startedAt = cpuMs()
      readTestBlocks('a.test.ts', text)
      readTestReport(text)
      expect(cpuMs() - startedAt, text.slice(0, 10)).toBeLessThan(2_000)
    }
  })
})

describe('the command', () => {
  it('gets every name as one word', () => {
    const names = ["a'b.test.js", '-rf.test.js', '$(id).test.js', 'x {report}.test.js', 'd/e f.test.js']
    const text = testCommand({ witness: 'run {tests} in {dirs} > {report}' }, { paths: names, report: '/tmp/r' })
    expect(text).toBe(
      "run 'a'\\''b.test.js' ./-rf.test.js '$(id).test.js' 'x {report}.test.js' 'd/e f.test.js' in ./ ./d > /tmp/r",
    )
  })
  it('gets the usual test files, or those that are named', () => {
    const { isRunnable, isTest } = testMatchers({})
    const names = ['src/a.test.ts', 'pkg/a_test.go', 'tests/test_a.py', 'tests/helper.py', 'src/a.ts']
    expect(names.map((one) => [isRunnable(one), isTest(one)])).toEqual([
      [true, true],
      [true, true],
      [true, true],
      [false, true],
      [false, false],
    ])
    expect(testMatchers({ tests: ['checks/'] }).isRunnable('checks/a.ts')).toBe(true)
  })
})
