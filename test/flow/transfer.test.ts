// A session on its way to another machine: another HOME, another clone, and the same work.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { readTar, writeTar } from '../../src/core/text/tar.ts'
import { readExport } from '../../src/manager/transfer/read-export.ts'
import { some } from '../support/cover.ts'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const CONFIG =
  'defaults: { runtime: process, notifiers: [] }\nprojects: { app: { path: ., agent: demo, tracker: local, scm: local } }\n'

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(100, 7)])

let here: AoWorld
let there: AoWorld

beforeAll(() => buildAo(), 60_000)

afterEach(async () => {
  await there.ao(['session', 'kill', 'app-1', '--purge'])
  expect([...(await here.temp.cleanup()), ...(await there.temp.cleanup())]).toEqual([])
})

it('a session is exported, imported elsewhere and continued there, whatever is killed on the way', async () => {
  here = createAoWorld({ config: CONFIG })
  there = createAoWorld({ config: CONFIG })
  here.temp.env.AO_RECORDING = 'on'
  here.temp.env.SOME_TOKEN = 'correct-horse-battery'
  git(there.repo, there.temp.env, 'fetch', '--quiet', here.repo, '+main:main', '--update-head-ok')
  git(there.repo, there.temp.env, 'reset', '--quiet', '--hard', 'main')
  const script = ['write answer 42', 'commit the answer', 'write draft one', 'say correct-horse-battery', 'wait 600s']
  const picture = join(here.temp.home, 'shot.png')
  writeFileSync(picture, PNG)
  const spawned = await here.json<{ session: { workspacePath: string } }>([
    ...['spawn', '--prompt', script.map((line) => `demo: ${line}`).join('\n'), '--file', picture],
  ])
  const draft = join(spawned.session.workspacePath, 'draft')
  await waitFor('its work', () => existsSync(draft))

  const file = join(here.temp.home, 'app-1.tar.gz')
  const refused = await here.ao(['session', 'export', 'app-1', file])
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('has uncommitted work')])
  await here.ao(['session', 'kill', 'app-1', '--purge'])
  const killed = await here.ao(['session', 'export', 'app-1', file], { env: { AO_FAILPOINT: 'export.packed' } })
  expect([killed.signal, existsSync(file)]).toEqual(['SIGKILL', false])
  expect((await here.ao(['session', 'export', 'app-1', file])).code).toBe(0)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(gunzipSync(readFileSync(file)).toString('latin1')).not.toContain('correct-horse-battery')

  await leavesOutWhatNoImportTakes()
  await refusesChanged(file)
  const points = ['announced', 'objects', 'refs', 'state', 'history', 'archived']
  for (const point of some(points)) {
    const died = await there.ao(['session', 'import', file], { env: { AO_FAILPOINT: `import.${point}` } })
    expect(died.signal).toBe('SIGKILL')
    if (point === 'archived') break
  }
  // What the last one left is complete; everything before it was undone.
  expect((await there.ao(['session', 'import', file])).stdout).toContain('SESSION=app-2')
  expect(left()).toEqual(['refs/ao/rescue/app-1/1', 'refs/ao/rescue/app-2/1'])

  const restored = await there.json<{ session: { workspacePath: string; branch: string } }>([
    'session',
    'restore',
    'app-1',
  ])
  const { workspacePath } = restored.session
  expect(readFileSync(join(workspacePath, 'draft'), 'utf8')).toContain('one')
  expect(git(workspacePath, there.temp.env, 'log', '--format=%s', '-1')).toContain('answer')
  const attached = join(workspacePath, '.ao', 'attachments')
  expect(readdirSync(attached).map((name) => readFileSync(join(attached, name)))).toEqual([PNG])
  expect((await there.ao(['session', 'log', 'app-2'])).stdout).toContain('[ended: ')
  expect((await there.ao(['events', 'app-2'])).stdout).toContain('imported; it was app-1')
}, 60_000)

/** Refs and files of imports that belong to no session are not there. */
function left(): string[] {
  const data = join(there.temp.home, '.agent-orchestrator')
  const project = join(data, readdirSync(data).find((name) => name.endsWith('-app'))!)
  expect(readdirSync(join(project, 'imports'))).toEqual([])
  expect(readdirSync(join(project, 'state')).sort()).toEqual(['app-1', 'app-2'])
  return git(there.repo, there.temp.env, 'for-each-ref', '--format=%(refname)', 'refs/ao').split('\n')
}

async function leavesOutWhatNoImportTakes(): Promise<void> {
  const data = join(here.temp.home, '.agent-orchestrator')
  const state = join(data, readdirSync(data).find((name) => name.endsWith('-app'))!, 'state', 'app-1')
  for (let n = 0; n < 1_000; n++) {
    const sha256 = createHash('sha256').update(`${n}`).digest('hex')
    writeFileSync(join(state, 'attachments', `${sha256}.txt`), `${n}`)
  }
  const file = join(here.temp.home, 'many.tar.gz')
  const exported = await here.ao(['session', 'export', 'app-1', file])
  const { files } = readExport(file)
  const attached = [...files.keys()].filter((name) => name.startsWith('attachments/')).length
  expect(files.size).toBe(999)
  expect(`${exported.stdout}${exported.stderr}`).toContain(`without ${1_001 - attached} attached files`)
  for (let n = 0; n < 1_000; n++) {
    const sha256 = createHash('sha256').update(`${n}`).digest('hex')
    rmSync(join(state, 'attachments', `${sha256}.txt`))
  }
}

async function refusesChanged(file: string): Promise<void> {
  const files = readTar(gunzipSync(readFileSync(file)), { files: 100, bytes: 1e9 })
  const record = files.find(({ name }) => name === 'record')!
  const changed = files.map((one) => (one === record ? { ...one, bytes: Buffer.from('agent=evil\n') } : one))
  const forged = files.map((one) =>
    one.name.startsWith('attachments/') ? { ...one, bytes: Buffer.from('#!/bin/sh') } : one,
  )
  const bad = join(there.temp.home, 'bad.tar.gz')
  for (const [bytes, why] of [
    [gzipSync(Buffer.concat(writeTar(changed))), 'record was changed or damaged'],
    [
      gzipSync(Buffer.concat(writeTar(withManifestOf(changed, { branch: { name: '-x', commit: 'a'.repeat(40) } })))),
      'no name that git takes',
    ],
    [
      gzipSync(Buffer.concat(writeTar(withManifestOf(files, { branch: { name: 'x', commit: 'a'.repeat(40) } })))),
      'lacks the commit',
    ],
    [gzipSync(Buffer.concat(writeTar(withManifestOf(forged, {})))), 'is not the file that its name says'],
    [readFileSync(file).subarray(0, 1_000), 'not compressed with gzip'],
  ] as const) {
    writeFileSync(bad, bytes)
    const refused = await there.ao(['session', 'import', bad])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(why)])
  }
  expect((await there.ao(['session', 'ls', '--all'])).stdout).not.toContain('app-1')
}

/** Hashes are right: whoever changes a file can do that too. */
function withManifestOf(files: ReturnType<typeof readTar>, change: object): ReturnType<typeof readTar> {
  const [first, ...others] = files
  const hashes = others.map(({ name, bytes }) => [
    name,
    { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') },
  ])
  const manifest = { ...JSON.parse(Buffer.from(first!.bytes).toString()), ...change, files: Object.fromEntries(hashes) }
  return [{ name: 'manifest.json', bytes: Buffer.from(JSON.stringify(manifest)) }, ...others]
}
