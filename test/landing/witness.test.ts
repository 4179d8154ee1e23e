// The gate `witness` over a real repository and a real test runner.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ProjectConfig } from '../../src/contract/config.ts'
import { createForge } from '../../src/forge/create-forge.ts'
import { finishChecks } from '../../src/forge/finish-checks.ts'
import { verifyCommit } from '../../src/forge/proof/verify-commit.ts'
import { observePull, readCheckLog } from '../../src/forge/pulls/observe-pulls.ts'
import { runTrain } from '../../src/forge/train/run-train.ts'
import { openGates } from '../../src/landing/checks/project-gates.ts'
import { openTrainFile } from '../../src/landing/train/train-file.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { projectDirectory } from '../../src/lib/process/own-home.ts'
import { readForgeOptions } from '../../src/plugins/scm-local/index.ts'
import { createForgeWorld, type ForgeWorld } from '../contract/local-forge-world.ts'

let world: ForgeWorld
beforeEach(() => {
  world = createForgeWorld()
})
afterEach(() => world.cleanup())

const runs = () => {
  const path = join(world.temp.home, 'runs')
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').length : 0
}
const head = (branch: string) => world.git('rev-parse', `refs/heads/${branch}`)
const signal = new AbortController().signal
const gatesWith = (gates: NonNullable<ProjectConfig['gates']>) =>
  openGates({
    project: { ...world.project, gates },
    projectDir: join(world.temp.home, 'data'),
    env: world.context.env,
    requireTrust: () => undefined,
  })!

const TEST = (...cases: string[]) => `const { test } = require('node:test'); const assert = require('node:assert')
const sum = require('../sum.js')
${cases.join('\n')}
`
const ADDS = "test('adds', () => {\n  assert.equal(sum(1, 2), 3)\n})"
const FIXED = 'module.exports = (a, b) => Number(a) + Number(b)\n'

it('says of a change whether its tests fail without it, once for a tree, in the checks and in the proof', async () => {
  const run = `echo run >> "$HOME/runs"; ${process.execPath} --test --test-reporter=junit --test-reporter-destination={report} {tests}`
  const gates = [{ name: 'witness', witness: run }]
  const forge = createForge({ ...world.project, gates }, readForgeOptions({}), world.context)
  await world.pushToBase('sum.js', 'module.exports = (a, b) => a + b\n')
  await world.pushToBase('test/sum.test.js', TEST(ADDS))
  const open = async (branch: string, source: string, test: string) => {
    await world.push(branch, 'sum.js', source)
    await world.push(branch, 'test/sum.test.js', test)
    const { number } = await world.openPR({ branch, title: branch })
    await finishChecks(forge, number)
    await world.review(number, { state: 'approved' })
    return observePull(forge, forge.pulls.read(number)!)
  }
  const honest = await open('fix', FIXED, TEST(ADDS, "test('adds text', () => {\n  assert.equal(sum('1', 2), 3)\n})"))
  expect(honest.checks[0]).toMatchObject({
    status: 'passed',
    finding: { verdict: 'witnessed', text: '1 test fails without the change and passes with it', marks: [] },
  })
  expect(runs()).toBe(2)
  const idle = await open('idle', FIXED, TEST(ADDS, "test('adds more', () => {\n  assert.equal(sum(2, 2), 4)\n})"))
  expect(idle.checks[0]).toMatchObject({ status: 'failed', finding: { verdict: 'unproven' } })
  expect(readCheckLog(forge, idle.checks[0]!)).toContain(
    'test/sum.test.js:6 "adds more": it passes without the change too',
  )
  const weak = await open(
    'weak',
    'module.exports = () => 4\n',
    TEST(ADDS.replace('equal(sum(1, 2), 3)', 'ok(sum(1, 2))')),
  )
  expect(weak.checks[0]).toMatchObject({ status: 'failed', finding: { verdict: 'weakened', marks: [{ line: 3 }] } })
  expect(runs()).toBe(6)
  // The same change in another commit.
  const again = world.git('commit-tree', 'fix^{tree}', '-p', 'main', '-m', 'again')
  world.git('update-ref', 'refs/heads/again', again)
  const { number } = await world.openPR({ branch: 'again', title: 'again' })
  await finishChecks(forge, number)
  const { checks } = await observePull(forge, forge.pulls.read(number)!)
  expect([checks[0]?.finding?.verdict, runs()]).toEqual(['witnessed', 6])
  const projectDir = projectDirectory(world.context, world.project.id)
  const file = openTrainFile({ projectDir, clock: systemClock })
  await file.append({ type: 'boarded', pull: honest.pr.number, headSha: honest.headSha, by: 'sam' })
  const rule = { batch: 3, order: 'fifo' as const, priority: [] }
  const quiet = { collide: () => false, signal, say: () => undefined }
  await runTrain({ forge, projectDir, rule, method: 'squash', ...quiet })
  const { proof, findings } = await verifyCommit(forge, {
    directory: file.directory,
    commit: head('main'),
    rerun: false,
  })
  expect(proof?.checks[0]?.found).toBe('witnessed: 1 test fails without the change and passes with it')
  expect(findings.filter(({ proven }) => !proven)).toEqual([])
})

it('believes no report that is a pipe, a link or a flood, and runs names as words', async () => {
  await world.pushToBase('sum.js', 'exports.a = 1\n')
  await world.push('feat', 'sum.js', 'exports.a = 2\n')
  await world.push('feat', "test/$(touch owned) 'x'.test.js", "test('x', () => {\n  assert.equal(a, 2)\n})\n")
  const red = 'grep -q 2 sum.js || exit 1;'
  const change = { head: head('feat'), from: head('main'), signal }
  const judge = async (witness: string) => {
    const gates = gatesWith([{ name: 'w', witness, timeout: 20 }])
    await gates.run(change)
    const [check] = await gates.read(change)
    return [check?.finding?.verdict, check?.finding?.text]
  }
  const good = `<testsuites><testcase name="x" file="test/$(touch owned) 'x'.test.js"/></testsuites>`
  const write = `printf '%s' "$REPORT" > {report}; ls -- {tests} > /dev/null || exit 3;`
  expect(await judge(`mkfifo {report}; ls -- {tests} && true`)).toEqual(['red', expect.stringContaining('named pipe')])
  expect(await judge(`ln -s /etc/passwd {report}; : {tests}`)).toEqual([
    'red',
    expect.stringContaining('symbolic link'),
  ])
  expect(await judge(`truncate -s 1G {report}; : {tests}`)).toEqual(['red', expect.stringContaining('larger than')])
  expect(await judge(`mkdir {report}; : {tests}`)).toEqual(['red', expect.stringContaining('directory')])
  const exact = `REPORT='${good.replaceAll("'", `'\\''`)}'; ${write}`
  expect(await judge(`${red} ${exact}`)).toEqual(['witnessed', expect.stringContaining('cannot be loaded')])
  expect(await judge(`${exact} ${red}`)).toEqual(['unproven', expect.stringContaining('but none of its tests did')])
  expect(await judge(`grep -q 2 sum.js || kill -9 $$; : {tests}`)).toEqual([
    'unproven',
    expect.stringContaining('was ended by'),
  ])
  expect(await judge(`grep -q 2 sum.js || no-such-program {tests}`)).toEqual([
    'unproven',
    expect.stringContaining('127'),
  ])
  expect(existsSync(join(world.temp.home, 'owned'))).toBe(false)
})

it('compares tests beside submodules and large files, and names a test that is too large for it', async () => {
  await world.pushToBase('sum.js', 'exports.a = 1\n')
  await world.push('feat', 'sum.js', 'exports.a = 2\n')
  await world.push('feat', 'test/sum.test.js', "test('x', () => {\n  assert.equal(a, 2)\n})\n")
  await world.push('feat', 'test/__snapshots__/sum.snap', 'x'.repeat(2 * 1024 * 1024))
  const judge = async () => {
    const change = { head: head('feat'), from: head('main'), signal }
    const gates = gatesWith([{ name: 'w', witness: 'grep -q 2 sum.js || exit 1; : {tests}', timeout: 20 }])
    await gates.run(change)
    const [check] = await gates.read(change)
    return [check?.finding?.verdict, check?.finding?.text]
  }
  expect(await judge()).toEqual(['witnessed', expect.stringContaining('by exit code')])
  const withModule = (branch: string) => {
    const entry = `160000 commit ${'1'.repeat(40)}\tvendored`
    const listed = world.git('ls-tree', `${branch}:test`)
    const inner = execFileSync('git', ['-C', world.repo, 'mktree'], { input: `${listed}\n${entry}\n` })
      .toString()
      .trim()
    const outer = world.git('ls-tree', branch).replace(/(tree )[0-9a-f]+(\ttest)$/m, `$1${inner}$2`)
    const tree = execFileSync('git', ['-C', world.repo, 'mktree'], { input: `${outer}\n` })
      .toString()
      .trim()
    return world.git('commit-tree', tree, '-p', branch, '-m', 'vendored')
  }
  world.git('update-ref', 'refs/heads/feat', withModule('feat'))
  expect(await judge()).toEqual(['witnessed', expect.stringContaining('by exit code')])
  await world.push('large', 'test/large.test.js', `// ${'x'.repeat(1024 * 1024)}\n`)
  world.git('update-ref', 'refs/heads/feat', head('large'))
  expect(await judge()).toEqual(['weakened', expect.stringContaining('test/large.test.js is too large')])
})

it('marks the lines of a change that never ran, and believes no coverage from elsewhere', async () => {
  const lines = (name: string) =>
    `exports.${name} = (n) => {\n  if (n > 1) {\n    return 'many'\n  }\n  return 'one'\n}\n`
  await world.push('feat', 'count.js', lines('count'))
  await world.push('feat', 'lcov.info', 'SF:count.js\nDA:3,1\nend_of_record\n')
  await world.push(
    'feat',
    'test/count.test.js',
    "require('node:assert').equal(require('../count.js').count(1), 'one')\n",
  )
  const change = { head: head('feat'), from: head('main'), signal }
  const judge = async (run: string, coverage: string) => {
    const gates = gatesWith([{ name: 'test', run, coverage }])
    await gates.run(change)
    const [check] = await gates.read(change)
    return [check?.status, check?.finding?.text, check?.finding?.marks.map(({ line, to }) => [line, to])]
  }
  const unknown = (why: string) => [
    'passed',
    expect.stringMatching(new RegExp(`^which lines ran is unknown: .*${why}`)),
    [],
  ]
  const test = `NODE_V8_COVERAGE=cov ${process.execPath} test/count.test.js`
  expect(await judge(test, 'cov')).toEqual([
    'passed',
    expect.stringMatching(/^1 of \d+ changed lines never ran$/),
    [[3, undefined]],
  ])
  expect(await judge('true', 'lcov.info')).toEqual([
    'passed',
    expect.stringMatching(/^which lines ran is unknown: .*(older than the run|part of the commit)/),
    [],
  ])
  expect(await judge('touch lcov.info', 'lcov.info')).toEqual(unknown('part of the commit'))
  expect(await judge('mkfifo pipe', 'pipe')).toEqual(unknown('named pipe'))
  expect(await judge('ln -s /etc/passwd out', 'out')).toEqual(unknown('leads out of the checkout'))
  expect(await judge('truncate -s 1G flood', 'flood')).toEqual(unknown('larger than'))
  expect(await judge('true', 'nothing')).toEqual(unknown('wrote no nothing'))
})
