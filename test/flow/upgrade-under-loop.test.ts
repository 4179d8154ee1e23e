// The package is replaced while its loop runs, as `npm install --global` of a newer one does.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { readRunState, runFiles } from '../../src/lifecycle/loop/run-state.ts'
import { createPaths } from '../../src/store/paths.ts'
import { AO, type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

let world: AoWorld
let pack: string
beforeAll(() => buildAo(), 60_000)
beforeEach(() => {
  world = createAoWorld()
  pack = join(world.temp.home, 'package')
  mkdirSync(pack)
  symlinkSync(join(dirname(AO), '..', 'node_modules'), join(pack, 'node_modules'))
  cpSync(join(dirname(AO), '..', 'package.json'), join(pack, 'package.json'))
  cpSync(dirname(AO), join(pack, 'dist'), { recursive: true })
})
afterEach(async () => {
  await world.ao(['stop'])
  expect(await world.temp.cleanup()).toEqual([])
})

const files = () =>
  runFiles(
    createPaths({
      configPath: join(world.repo, 'agent-orchestrator.yaml'),
      home: world.temp.home,
      env: world.temp.env,
    }),
  )
const state = () => readRunState(files())!
async function ask(path: string): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Bearer ${readFileSync(files().token, 'utf8').trim()}` }
  const response = await fetch(`http://localhost:${state().port}${path}`, { headers })
  return { status: response.status, text: await response.text() }
}
const isReady = async () => (await ask('/readyz')).status === 200

it('the loop says that its files are gone, and restarts itself with the new ones under the same process id', async () => {
  execFileSync(process.execPath, [join(pack, 'dist', 'ao.js'), 'start'], { cwd: world.repo, env: world.temp.env })
  await waitFor('a loop that is ready', isReady)
  const before = state()
  renameSync(join(pack, 'dist'), join(pack, 'old'))
  const ready = await waitFor('a loop that knows', async () => {
    const answer = await ask('/readyz')
    return answer.status === 503 && answer
  })
  expect(JSON.parse(ready.text)).toEqual({ status: 'replaced' })
  for (const path of [
    '/',
    '/api/settings',
    '/api/radar',
    '/api/openapi.json',
    '/api/sessions/app-1/diff',
    '/metrics',
  ]) {
    const { status, text } = await ask(path)
    expect([path, status === 500 || text.includes('Cannot find')]).toEqual([path, false])
  }
  cpSync(join(pack, 'old'), join(pack, 'dist'), { recursive: true })
  const after = await waitFor('the restarted loop', async () => {
    const now = state()
    return now.startedAt !== before.startedAt && now.stoppedAt === undefined && (await isReady()) && now
  })
  expect(after.pid).toBe(before.pid)
  expect(readFileSync(files().log, 'utf8')).toContain('another version of ao was installed')
  expect((await ask('/')).status).toBe(200)
})
