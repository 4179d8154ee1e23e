// `ao service` under a real systemd: its user manager, in a mount namespace in which the machine seems to run on systemd.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { identify } from '../../src/lib/process/process-identity.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const SYSTEMD = '/lib/systemd/systemd'
/** systemd refuses to run for a user where it does not run the machine; it asks by this directory. */
const MANAGER = `mkdir -p /run/systemd && mount -t tmpfs none /run/systemd && mkdir /run/systemd/system && exec ${SYSTEMD} --user`

const missing = whyNot()
if (missing) console.warn(`ao service under systemd was not tested: ${missing}`)

function whyNot(): string | null {
  if (!existsSync(SYSTEMD)) return 'systemd is not installed'
  return spawnSync('unshare', ['-m', 'true']).status === 0 ? null : 'mount namespaces are not permitted here'
}

let world: AoWorld
let manager: ChildProcess
let env: NodeJS.ProcessEnv

beforeAll(buildAo)
beforeEach(async () => {
  world = createAoWorld()
  const runtime = join(world.temp.home, 'run')
  mkdirSync(runtime, { mode: 0o700 })
  env = { ...world.temp.env, XDG_RUNTIME_DIR: runtime }
  manager = spawn('unshare', ['-m', 'sh', '-c', MANAGER], { env, stdio: 'ignore' })
  await waitFor('the user manager', () => existsSync(join(runtime, 'systemd/private')))
})
afterEach(async () => {
  await ao('service', 'uninstall')
  const ended = new Promise((resolve) => manager.once('exit', resolve))
  manager.kill()
  await ended
  expect(await world.temp.cleanup()).toEqual([])
})

const ao = (...args: string[]) => world.ao(args, { env })
const json = <T>(...args: string[]) => world.json<T>(args, { env })
const loop = async () => (await json<{ pid: number; startedNow: boolean }>('start')).pid
const status = () => json<{ service: string; installed: boolean; active: boolean }>('service', 'status')

describe.skipIf(missing !== null)('ao service under a real systemd', () => {
  it('starts the loop, starts it again after a crash, and not after ao stop; agents run through all of it', async () => {
    const { pid } = await json<{ pid: number }>('service', 'install')
    expect(await status()).toMatchObject({ installed: true, active: true })
    expect(await loop()).toBe(pid)
    const { session } = await json<{ session: { id: string } }>('spawn', '--prompt', 'demo: wait 600')
    const working = async () =>
      (await json<{ session: { status: string } }>('session', 'show', session.id)).session.status

    process.kill(pid, 'SIGKILL')
    const { service } = await status()
    await waitFor(
      'another process',
      () => Number(show(service, 'MainPID')) > 1 && show(service, 'MainPID') !== `${pid}`,
    )
    await waitFor('the loop', async () => (await ao('logs')).stdout.split('watching app').length > 2)
    expect(await loop()).toBe(Number(show(service, 'MainPID')))
    expect(await working()).toBe('working')

    await ao('stop')
    await waitFor('the end', () => show(service, 'ActiveState') === 'inactive')
    // Where it is to be started again, systemd says so at once.
    expect(show(service, 'SubState')).toBe('dead')
    expect(await working()).toBe('working')

    const again = await json<{ pid: number }>('service', 'install')
    expect(await ao('service', 'uninstall')).toMatchObject({ code: 0 })
    expect(identify(again.pid)).toBeNull()
    expect(await working()).toBe('working')
    await ao('session', 'kill', session.id)
  })

  it('is not installed when its loop cannot start', async () => {
    const { code, stderr } = await world.ao(['service', 'install'], { env: { ...env, AO_LISTEN: '203.0.113.1' } })
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('It says:\n') })
    expect(await status()).toMatchObject({ installed: false, active: false })
  })
})

function show(service: string, property: string): string {
  const args = ['--user', 'show', '--property', property, '--value', service]
  return execFileSync('systemctl', args, { env, encoding: 'utf8' }).trim()
}
