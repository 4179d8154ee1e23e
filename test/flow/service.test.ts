// `ao service` with a stand-in for systemctl; test:places has the same with a real systemd.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { identify } from '../../src/lib/process/process-identity.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

const SYSTEMCTL = join(import.meta.dirname, '../fixtures/systemctl')

let world: AoWorld
let bin: string
beforeAll(buildAo)
beforeEach(() => {
  world = createAoWorld()
  bin = join(world.temp.home, 'bin')
  mkdirSync(bin)
  copyFileSync(SYSTEMCTL, join(bin, 'systemctl'))
})
afterEach(async () => {
  await ao('service', 'uninstall')
  expect(await world.temp.cleanup()).toEqual([])
})

const calls = () => (existsSync(join(bin, 'calls')) ? readFileSync(join(bin, 'calls'), 'utf8').trim().split('\n') : [])
const environment = (more = {}) => ({ env: { PATH: `${bin}:${process.env.PATH}`, ...more } })
const ao = (...args: string[]) => world.ao(args, environment())
const refused = (...args: string[]) => world.ao(args, environment({ FAIL_ENABLE: 'Failed to connect to bus' }))
const json = <T>(...args: string[]) => world.json<T>(args, environment())
const status = () => json<{ installed: boolean; active: boolean; current: boolean; file: string }>('service', 'status')

describe.runIf(process.platform === 'linux')('ao service', () => {
  it('install returns when the loop is running; status says so; uninstall takes all of it back', async () => {
    expect(await status()).toMatchObject({ installed: false, active: false })
    const { pid } = await json<{ pid: number }>('service', 'install')
    const { file, ...now } = await status()
    expect(now).toMatchObject({ installed: true, active: true, current: true })
    expect(file).toMatch(`${world.temp.home}/.config/systemd/user/ao-`)
    expect(calls()).toEqual(
      expect.arrayContaining(['--user daemon-reload', expect.stringMatching(/^--user enable --now ao-/)]),
    )
    expect(await json('start')).toMatchObject({ pid, startedNow: false })
    expect((await ao('logs')).stdout).toContain('the dashboard is at')
    expect(await ao('service', 'uninstall')).toMatchObject({ code: 0 })
    expect(existsSync(file)).toBe(false)
    expect(identify(pid)).toBeNull()
    expect((await ao('service', 'uninstall')).stdout).toBe('no service is installed\n')
  })

  it('says why the loop does not start as a service, and leaves none behind', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    writeFileSync(
      join(world.repo, 'agent-orchestrator.yaml'),
      `port: ${port}\nprojects: { app: { path: ., agent: demo } }\n`,
    )
    const { code, stderr } = await world.ao(['service', 'install'], environment({ AO_PORT: '' }))
    other.close()
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Port ${port} of 127.0.0.1 cannot be used: another program listens there`),
    })
    expect(await status()).toMatchObject({ installed: false, active: false })
  })

  it('writes a unit that systemd itself accepts', async () => {
    const { stdout } = await ao('service', 'install', '--print')
    expect(calls()).toEqual([])
    const unit = join(world.temp.home, 'ao-test.service')
    writeFileSync(unit, stdout)
    const verified = spawnSync('systemd-analyze', ['verify', '--user', unit], { encoding: 'utf8', env: world.temp.env })
    // A machine without systemd has nothing to ask.
    if (verified.error) return
    expect(verified.stderr.split('\n').filter((line) => line.includes('ao-test.service'))).toEqual([])
  })

  it('leaves nothing behind when systemd refuses', async () => {
    const { code, stderr } = await refused('service', 'install')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: systemctl --user enable --now \S+ failed: Failed to connect to bus\nhint: /)
    expect(await status()).toMatchObject({ installed: false })
  })

  it('brings the service back that was there when systemd refuses the new one', async () => {
    await ao('service', 'install')
    const { file } = await status()
    const older = readFileSync(file, 'utf8').replace('RestartSec=5', 'RestartSec=9')
    writeFileSync(file, older)
    expect(await status()).toMatchObject({ current: false })
    expect(await refused('service', 'install')).toMatchObject({ code: 1 })
    expect(readFileSync(file, 'utf8')).toBe(older)
  })

  it('touches no unit that somebody else wrote', async () => {
    await ao('service', 'install')
    const { file } = await status()
    const ours = readFileSync(file, 'utf8')
    writeFileSync(file, '[Service]\n')
    for (const act of ['install', 'uninstall']) {
      expect((await ao('service', act)).stderr).toContain('is there, and ao did not write it')
    }
    expect(readFileSync(file, 'utf8')).toBe('[Service]\n')
    writeFileSync(file, ours)
  })

  it('is refused while a loop runs that the service could not replace', async () => {
    await ao('start')
    const { code, stderr } = await ao('service', 'install')
    expect({ code, stderr }).toMatchObject({ code: 5, stderr: expect.stringContaining('hint: Stop it first: ao stop') })
    await ao('stop')
  })
})
