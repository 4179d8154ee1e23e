import { describe, expect, it } from 'vitest'
import { testCommand, testMatchers } from './test-files.ts'

describe('by its name alone', () => {
  const { isRunnable, isTest } = testMatchers({})

  it.each([
    ...['src/a.test.ts', 'src/a.spec.js', 'pkg/a_test.go', 'lib/a_spec.rb', 'x/test_a.py', 'src/ATest.java'],
    ...['src/ATests.java', 'src/ATest.kt', 'src/ATests.cs', 'src/ATest.php', 'src/ATests.swift', 'a.bats'],
    'src/__tests__/a.js',
  ])('%s is a test that can be run', (path) => {
    expect([isRunnable(path), isTest(path)]).toEqual([true, true])
  })

  it.each([
    ...['test/a.js', 'tests/a.js', 'spec/a.js', 'e2e/a.js', 'pkg/testdata/a', 'src/__snapshots__/a.snap'],
    ...['src/__mocks__/a.js', 'conftest.py'],
  ])('%s goes with the tests', (path) => {
    expect([isRunnable(path), isTest(path)]).toEqual([false, true])
  })

  it.each(['src/a.ts', 'src/testing.ts', 'src/latest/a.ts', 'contest.py', 'Test.md'])('%s is none', (path) => {
    expect([isRunnable(path), isTest(path)]).toEqual([false, false])
  })

  it('patterns of a rule take the place of the names, not of what goes with them', () => {
    const own = testMatchers({ tests: ['check/*.x'] })
    expect(['check/a.x', 'a.test.ts'].map(own.isRunnable)).toEqual([true, false])
    expect(own.isTest('e2e/a.js')).toBe(true)
  })
})

describe('the command', () => {
  const command = (witness: string, ...paths: string[]) => testCommand({ witness }, { paths, report: 'out/r.xml' })

  it.each([
    ['run {tests} --to {report}', ['a.test.ts', 'b c.test.ts'], "run a.test.ts 'b c.test.ts' --to out/r.xml"],
    ['go test {dirs}', ['x/a_test.go', 'x/b_test.go', 'c_test.go'], 'go test ./x ./'],
    [
      'run {tests}',
      ["it's.test.ts", '-rf.test.ts', '$(x).test.ts'],
      "run 'it'\\''s.test.ts' ./-rf.test.ts '$(x).test.ts'",
    ],
    ['run {others}', ['a.test.ts'], 'run {others}'],
  ])('%s', (witness, paths, expected) => {
    expect(command(witness, ...paths)).toBe(expected)
  })
})
