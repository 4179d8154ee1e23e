// `ao doctor --verify` reads everything that is kept: an untouched home passes, and whatever is damaged in a file that matters is
// named, with what can still be had.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readEventsAfter } from '../../src/agh/store/read-log.ts'
import { verifyHome } from '../../src/cli/ao/verify/verify-home.ts'
import type { Finding } from '../../src/cli/print/findings.ts'
import { createRandom } from '../../src/rehearsal/random.ts'
import { type AghBeside, aghBeside } from '../support/agh-daemon.ts'
import { repeats } from '../support/cover.ts'
import { createFakeIo } from '../support/fake-io.ts'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const CONFIG =
  'defaults: { runtime: acp, notifiers: [] }\nprojects: { app: { path: ., agent: demo, tracker: local, scm: local } }\n'
const PROOF = { version: 1, pull: 1, checks: [], approvals: [], session: null, agent: null, costUsd: null, issue: null }

let world: AoWorld
let agh: AghBeside
let exported: string

beforeAll(async () => {
  buildAo()
  world = createAoWorld({ config: CONFIG })
  agh = aghBeside(world.temp.home, world.temp.env)
  await world.ao(['config', 'trust', '--yes'])
  await world.ao(['issue', 'new', 'First'])
  const prompt = ['write answer 42', 'commit the answer', 'pr The answer', 'write draft one', 'finish done']
  for (let n = 0; n < 2; n++) await world.ao(['spawn', '--prompt', prompt.map((line) => `demo: ${line}`).join('\n')])
  for (const id of ['app-1', 'app-2'])
    await waitFor(`the draft of ${id}`, () => existsSync(join(world.temp.home, '.worktrees/app', id, 'draft')), 60_000)
  // One in the archive with saved work, one that is a record.
  expect(await world.ao(['session', 'kill', 'app-1', '--purge'])).toMatchObject({ code: 0 })
  expect(await world.ao(['session', 'kill', 'app-2'])).toMatchObject({ code: 0 })
  exported = join(world.temp.home, 'app-1.tar.gz')
  expect(await world.ao(['session', 'export', 'app-1', exported])).toMatchObject({ code: 0 })
  const head = git(world.repo, world.temp.env, 'rev-parse', 'main')
  const tree = git(world.repo, world.temp.env, 'rev-parse', 'main^{tree}')
  const note = JSON.stringify({ ...PROOF, commit: head, head, tree })
  git(world.repo, world.temp.env, 'notes', '--ref=ao/proof', 'add', '-m', note, head)
  await agh.stop()
}, 180_000)

afterAll(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

async function verify(): Promise<Finding[]> {
  const { home, env } = world.temp
  const { io } = createFakeIo({ home, env, cwd: world.repo, clock: { now: () => new Date() } })
  return (await verifyHome(io, [exported])).filter(({ level, name }) => level === 'fail' && name !== 'verified')
}

it('an untouched home passes, the first time and the second time, and says what it has read', async () => {
  const first = await world.json<{ ok: boolean; checks: Finding[] }>(['doctor', '--verify', exported])
  expect(first).toMatchObject({ code: 0, ok: true })
  const output = first.checks.map(({ detail }) => detail).join('\n')
  for (const kind of ['1 record', '1 archive', '2 histories', '2 event logs', '1 repository', '1 export', '1 issue'])
    expect(output).toContain(kind)
  expect(output).toContain('noted for the first time')
  const second = await world.json<{ ok: boolean; checks: Finding[] }>(['doctor', '--verify', exported])
  expect(second).toMatchObject({ code: 0, ok: true })
  expect(JSON.stringify(second.checks)).toContain('compared with the hashes of')
})

it('names every file that was damaged at a random byte or cut off, and nothing once it is whole again', async () => {
  expect(await verify()).toEqual([])
  const random = createRandom(20_261_117)
  for (let n = 0; n < repeats(150, 30); n++) {
    const path = random.pick(filesThatMatter())
    const before = readFileSync(path)
    const at = random.below(before.length)
    const isCut = random.chance(0.3)
    const held = await contentOf(path)
    if (isCut) cut(path, at)
    else overwrite(path, at, Buffer.from([before[at]! ^ (1 << random.below(8))]))
    const where = `${path} ${isCut ? 'cut' : 'changed'} at ${at}`
    const found = await verify()
    // A page of a database and a compressed object have bits that say nothing.
    const isHarmless = found.length === 0 && held !== null && held === (await contentOf(path))
    expect(isHarmless || found.length > 0, where).toBe(true)
    for (const { fix } of found) expect(fix, where).toBeTruthy()
    if (!path.includes('.git') && found.length > 0)
      expect(found.map(({ detail }) => detail).join('\n'), where).toContain(path.split('/').at(-1)!)
    overwrite(path, 0, before)
  }
  expect(await verify()).toEqual([])
}, 600_000)

it('says which files of saved work are lost, and reads neither pipes nor what a repository says about checks', async () => {
  const { env } = world.temp
  const skipped = join(world.temp.home, 'skipped')
  writeFileSync(skipped, git(world.repo, env, 'rev-list', '--objects', '--no-object-names', '--all'))
  git(world.repo, env, 'config', 'fsck.skipList', skipped)
  git(world.repo, env, 'config', 'core.fsmonitor', `touch ${join(world.temp.home, 'canary')}`)
  const objects = git(world.repo, env, 'rev-list', '--objects', 'refs/ao/rescue/app-1/1', '--not', '--branches')
  const [oid, name] = objects
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, path]) => path?.endsWith('draft'))!
  const path = join(world.repo, '.git/objects', oid!.slice(0, 2), oid!.slice(2))
  const whole = readFileSync(path)
  overwrite(path, 5, Buffer.from([whole[5]! ^ 0xff]))
  const found = await verify()
  overwrite(path, 0, whole)
  expect(found).toMatchObject([{ name: 'saved work of app-1', detail: expect.stringContaining(`${oid} at ${name}`) }])
  expect(existsSync(join(world.temp.home, 'canary'))).toBe(false)
})

it('names whatever is gone or is no file any longer, and not a record that a command removed', async () => {
  expect(await verify()).toEqual([])
  const data = files(join(world.temp.home, '.agent-orchestrator'))
  const ofAgh = files(join(world.temp.home, '.agh/sessions'))
  const endings = [/history\/app-1\.jsonl$/, /sessions\/app-2$/, /archive\/app-1_[^/]+$/, /pulls\/\d+\/events\.jsonl$/]
  for (const ending of [...endings, /issues\/1\.md$/, /meta\.json$/, /events\.db$/]) {
    const path = [...data, ...ofAgh].find((file) => ending.test(file))!
    const expected = expect.arrayContaining([
      expect.objectContaining({ detail: expect.stringContaining(path), fix: expect.stringMatching(/./) }),
    ])
    renameSync(path, `${path}.away`)
    // It does not forget what is gone.
    for (let n = 0; n < 2; n++) expect(await verify(), path).toEqual(expected)
    mkdirSync(path)
    expect(await verify(), path).toEqual(expected)
    rmdirSync(path)
    symlinkSync('/dev/zero', path)
    expect(await verify(), path).toEqual(expected)
    rmSync(path)
    renameSync(`${path}.away`, path)
    expect(await verify(), path).toEqual([])
  }
  expect(await world.ao(['session', 'kill', 'app-2', '--purge'])).toMatchObject({ code: 0 })
  await agh.stop()
  expect(await verify()).toEqual([])
}, 120_000)

function filesThatMatter(): string[] {
  const data = files(join(world.temp.home, '.agent-orchestrator'))
  const kept = data.filter((path) =>
    /\/(sessions\/(app-\d+|archive\/[^/]+)|history\/.*|pulls\/\d+\/events\.jsonl|issues\/\d+\.md)$/.test(path),
  )
  const agh = files(join(world.temp.home, '.agh/sessions')).filter((path) => /\/(meta\.json|events\.db)$/.test(path))
  const git = files(join(world.repo, '.git')).filter((path) => /objects\/[0-9a-f]{2}\/|refs\/ao\/rescue\//.test(path))
  expect([kept.length > 5, agh.length, git.length > 5]).toEqual([true, 4, true])
  // As many of each as of the others.
  return [...kept, ...kept, ...agh, ...agh, exported, ...git.slice(0, 8)]
}

function files(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

/** In place, as a disk or a careless hand does it. */
function overwrite(path: string, at: number, bytes: Buffer): void {
  if (existsSync(path)) chmodSync(path, 0o600)
  const fd = openSync(path, existsSync(path) ? 'r+' : 'w')
  writeSync(fd, bytes, 0, bytes.length, at)
  closeSync(fd)
}

function cut(path: string, at: number): void {
  chmodSync(path, 0o600)
  const fd = openSync(path, 'r+')
  ftruncateSync(fd, at)
  closeSync(fd)
}

/** Of a database or an object of git: what its bytes stand for. */
async function contentOf(path: string): Promise<string | null> {
  if (path.endsWith('.db')) return JSON.stringify(await readEventsAfter(path, 0, 100_000).catch(() => null))
  const [, start, rest] = /objects\/(..)\/(.+)$/.exec(path) ?? []
  if (rest === undefined) return null
  const input = `${start}${rest}\n`
  return spawnSync('git', ['cat-file', '--batch'], { cwd: world.repo, env: world.temp.env, input }).stdout.toString(
    'hex',
  )
}
