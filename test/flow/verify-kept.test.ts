// `ao doctor --verify` notices saved work, proofs and logs of checks that are gone, and says what brings them back; what ao removed
// itself is no damage.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifyHome } from '../../src/cli/ao/verify/verify-home.ts'
import type { Finding } from '../../src/cli/print/findings.ts'
import { createCheckStore, MAX_COMMITS } from '../../src/landing/checks/check-store.ts'
import { openTrainFile } from '../../src/landing/train/train-file.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { projectPaths } from '../../src/store/paths.ts'
import { noteDropped } from '../../src/store/session/drop-data.ts'
import { createFakeIo } from '../support/fake-io.ts'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const CONFIG =
  'defaults: { runtime: process, notifiers: [] }\nprojects: { app: { path: ., agent: demo, tracker: local, scm: local } }\n'
const PROOF = { version: 1, pull: 1, checks: [], approvals: [], session: null, agent: null, costUsd: null, issue: null }
const RUN = { owner: '', startedAt: '2026-11-01T10:00:00.000Z', finishedAt: '2026-11-01T10:00:01.000Z', exitCode: 0 }

let world: AoWorld
let projectDir: string

beforeAll(async () => {
  buildAo()
  world = createAoWorld({ config: CONFIG })
  await world.ao(['config', 'trust', '--yes'])
  for (const id of ['app-1', 'app-2']) {
    const spawned = await world.ao(['spawn', '--prompt', 'demo: write draft one\ndemo: finish done'])
    expect(spawned, spawned.stderr).toMatchObject({ code: 0 })
    await waitFor('the draft', () => existsSync(join(world.temp.home, '.worktrees/app', id, 'draft')), 60_000)
    expect(await world.ao(['session', 'kill', id, '--purge'])).toMatchObject({ code: 0 })
  }
  const data = join(world.temp.home, '.agent-orchestrator')
  projectDir = join(data, readdirSync(data).find((name) => name.endsWith('-app'))!)
}, 180_000)
afterAll(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

async function verify(): Promise<Finding[]> {
  const { home, env } = world.temp
  const { io } = createFakeIo({ home, env, cwd: world.repo, clock: systemClock })
  return (await verifyHome(io, [])).filter(({ level, name }) => level === 'fail' && name !== 'verified')
}

const repo = (...args: string[]) => git(world.repo, world.temp.env, ...args)
const ofRepo = (...args: string[]) => repo(...args).trim()

/** The command that a finding says brings something back, as a person types it. */
function carryOut({ fix = '' }: Finding): void {
  const command = /git -C .+$/.exec(fix)![0]
  execFileSync('sh', ['-c', command], { cwd: world.temp.home, env: world.temp.env })
}

it('names saved work whose ref is gone or names something else, from the history alone, and its command brings it back', async () => {
  const ref = 'refs/ao/rescue/app-1/1'
  const commit = ofRepo('rev-parse', ref)
  repo('update-ref', '-d', ref)
  for (let n = 0; n < 2; n++) {
    const found = await verify()
    expect(found).toMatchObject([{ name: 'saved work of app-1', detail: expect.stringContaining(`${ref} of`) }])
    if (n === 1) carryOut(found[0]!)
  }
  expect(ofRepo('rev-parse', ref)).toBe(commit)
  expect(await verify()).toEqual([])
  repo('update-ref', ref, 'main')
  const [found] = await verify()
  expect(found).toMatchObject({ detail: expect.stringContaining(`it named ${commit}`) })
  carryOut(found!)
  expect(ofRepo('rev-parse', 'refs/ao/rescue/app-1/2')).toBe(commit)
  repo('update-ref', ref, commit)
  repo('update-ref', '-d', 'refs/ao/rescue/app-1/2')
  // Nobody verified while it was there.
  expect(await verify()).toEqual([])
}, 120_000)

it('names saved work that no history names, because it was there the last time', async () => {
  const ref = 'refs/ao/rescue/app-9/1'
  repo('update-ref', ref, 'refs/ao/rescue/app-1/1')
  expect(await verify()).toEqual([])
  repo('update-ref', '-d', ref)
  const [found, ...others] = await verify()
  expect(others).toEqual([])
  carryOut(found!)
  expect(await verify()).toEqual([])
}, 120_000)

it('says that nothing is left to bring back once git has removed the commit too', async () => {
  const lost = repo('commit-tree', 'main^{tree}', '-m', 'lost').trim()
  repo('update-ref', 'refs/ao/rescue/app-8/1', lost)
  expect(await verify()).toEqual([])
  repo('update-ref', '-d', 'refs/ao/rescue/app-8/1')
  const object = join(world.repo, '.git/objects', lost.slice(0, 2), lost.slice(2))
  renameSync(object, join(world.temp.home, 'away'))
  expect(await verify()).toMatchObject([{ fix: expect.stringContaining('from a copy of that directory') }])
  renameSync(join(world.temp.home, 'away'), object)
  repo('update-ref', 'refs/ao/rescue/app-8/1', lost)
  expect(await verify()).toEqual([])
}, 120_000)

it('names no saved work that the limits of the disk removed', async () => {
  expect(await verify()).toEqual([])
  const ref = 'refs/ao/rescue/app-2/1'
  const detail = `${ref} (${ofRepo('rev-parse', ref)}), because it is old`
  await noteDropped({ paths: projectPaths(projectDir), clock: systemClock }, 'app-2', {
    what: 'rescue',
    bytes: 0,
    detail,
  })
  repo('update-ref', '-d', ref)
  expect(await verify()).toEqual([])
}, 120_000)

it('names a proof that is gone, because it was there or because the train landed it, and its command brings the very note back', async () => {
  const commit = ofRepo('rev-parse', 'main')
  const tree = ofRepo('rev-parse', 'main^{tree}')
  const note = JSON.stringify({ ...PROOF, commit, head: commit, tree })
  const write = () => repo('notes', '--ref=ao/proof', 'add', '-f', '-m', note, commit)
  write()
  expect(await verify()).toEqual([])
  const before = repo('notes', '--ref=ao/proof', 'show', commit)
  repo('update-ref', '-d', 'refs/notes/ao/proof')
  const [found, ...others] = await verify()
  expect([found, others]).toMatchObject([{ name: `proof of ${commit.slice(0, 10)}` }, []])
  carryOut(found!)
  expect(repo('notes', '--ref=ao/proof', 'show', commit)).toBe(before)
  expect(await verify()).toEqual([])
  await openTrainFile({ projectDir, clock: systemClock }).append({ type: 'landed', pull: 1, headSha: commit, commit })
  expect(await verify()).toEqual([])
  repo('update-ref', '-d', 'refs/notes/ao/proof')
  rmSync(
    join(
      projectDir,
      '..',
      readdirSync(dirname(projectDir)).find((name) => name.endsWith('-observability'))!,
      'verified.json',
    ),
  )
  expect(await verify()).toMatchObject([{ detail: expect.stringContaining('the train landed it with one') }])
  write()
  expect(await verify()).toEqual([])
}, 120_000)

it('names a log of a check that is gone or was changed, not one of a run that was repeated or of a commit that was swept', async () => {
  const store = createCheckStore({ projectDir })
  const commits = Array.from({ length: 3 }, (_, n) => String(n).repeat(40))
  const command = { name: 'test', run: 'true' }
  const end = (commit: string, run: object = {}) => {
    mkdirSync(dirname(store.logFile(commit, command)), { recursive: true })
    writeFileSync(store.logFile(commit, command), `log of ${commit} ${JSON.stringify(run)}\n`)
    store.write(commit, { ...command, ...RUN, status: 'failed', ...run })
  }
  for (const commit of commits) end(commit)
  expect(await verify()).toEqual([])
  const log = store.logFile(commits[0]!, command)
  const whole = readFileSync(log)
  writeFileSync(log, 'all green\n')
  expect(await verify()).toMatchObject([
    { name: 'log of test on 0000000000', detail: expect.stringContaining('changed') },
  ])
  rmSync(log)
  for (let n = 0; n < 2; n++)
    expect(await verify()).toMatchObject([{ detail: `${log} is gone`, fix: expect.stringContaining('rm ') }])
  writeFileSync(log, whole)
  expect(await verify()).toEqual([])
  // Of a run that passed here, without any earlier verification.
  end(commits[1]!, { status: 'passed', startedAt: '2026-11-02T10:00:00.000Z' })
  rmSync(store.logFile(commits[1]!, command))
  expect(await verify()).toMatchObject([{ name: 'log of test on 1111111111' }])
  end(commits[1]!, { status: 'passed', startedAt: '2026-11-03T10:00:00.000Z' })
  expect(await verify()).toEqual([])
  renameSync(join(store.directory, commits[2]!), join(projectDir, 'away'))
  expect(await verify()).toMatchObject([{ name: 'checks of 2222222222', detail: expect.stringContaining('1 log') }])
  renameSync(join(projectDir, 'away'), join(store.directory, commits[2]!))
  expect(await verify()).toEqual([])
  for (let n = 0; n <= MAX_COMMITS; n++) mkdirSync(join(store.directory, String(n).padStart(40, 'a')))
  for (const commit of commits) utimesSync(join(store.directory, commit), 1, 1)
  store.sweep(new Set())
  expect(commits.some((commit) => existsSync(join(store.directory, commit)))).toBe(false)
  expect(await verify()).toEqual([])
}, 120_000)

it('takes nothing but names of objects from a history that somebody else can write, and goes on after it', async () => {
  const file = join(projectDir, 'history', 'app-7.jsonl')
  const at = '2026-11-01T10:00:00.000Z'
  const rescued = { seq: 1, at, sessionId: 'app-7', type: 'workspace.rescued' }
  const dropped = { seq: 1, at, sessionId: 'app-7', type: 'data.dropped', what: 'rescue' }
  const evil = { ...rescued, ref: 'refs/ao/rescue/app-7/1', commit: 'HEAD:$(touch pwned)' }
  writeFileSync(
    file,
    [evil, rescued, dropped].map((event, n) => `${JSON.stringify({ ...event, seq: n + 1 })}\n`).join(''),
  )
  expect((await verify()).filter(({ detail }) => detail?.includes('pwned'))).toEqual([])
}, 120_000)
