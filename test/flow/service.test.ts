// `ao service` with a stand-in for systemctl that records how it was called.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

let world: AoWorld
let bin: string
beforeAll(buildAo)
beforeEach(() => {
  world = createAoWorld()
  bin = join(world.temp.home, 'bin')
  mkdirSync(bin)
  systemctl('exit 0')
})
afterEach(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

function systemctl(then: string): void {
  writeFileSync(join(bin, 'systemctl'), `#!/bin/sh\necho "$*" >>"${bin}/calls"\n${then}\n`)
  chmodSync(join(bin, 'systemctl'), 0o755)
}

const calls = () => (existsSync(join(bin, 'calls')) ? readFileSync(join(bin, 'calls'), 'utf8').trim().split('\n') : [])
const ao = (...args: string[]) => world.ao(args, { env: { PATH: `${bin}:${process.env.PATH}` } })
const json = <T>(...args: string[]) => world.json<T>(args, { env: { PATH: `${bin}:${process.env.PATH}` } })
const status = () => json<{ installed: boolean; active: boolean; current: boolean; file: string }>('service', 'status')

describe.runIf(process.platform === 'linux')('ao service', () => {
  it('install writes the unit and starts it; status says so; uninstall takes both back', async () => {
    expect(await status()).toMatchObject({ installed: false, active: false })
    expect(await ao('service', 'install')).toMatchObject({ code: 0 })
    const { file, ...now } = await status()
    expect(now).toMatchObject({ installed: true, active: true, current: true })
    expect(file).toMatch(`${world.temp.home}/.config/systemd/user/ao-`)
    expect(calls().slice(0, 2)).toEqual(['--user daemon-reload', expect.stringMatching(/^--user enable --now ao-/)])
    expect(await ao('service', 'uninstall')).toMatchObject({ code: 0 })
    expect(existsSync(file)).toBe(false)
    expect((await ao('service', 'uninstall')).stdout).toBe('no service is installed\n')
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
    systemctl('case "$*" in *enable*) echo "Failed to connect to bus" >&2; exit 1;; esac')
    const { code, stderr } = await ao('service', 'install')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: systemctl --user enable --now \S+ failed: Failed to connect to bus\nhint: /)
    systemctl('exit 0')
    expect(await status()).toMatchObject({ installed: false })
  })

  it('brings the service back that was there when systemd refuses the new one', async () => {
    await ao('service', 'install')
    const { file } = await status()
    const older = readFileSync(file, 'utf8').replace('RestartSec=5', 'RestartSec=9')
    writeFileSync(file, older)
    expect(await status()).toMatchObject({ current: false })
    systemctl('case "$*" in *enable*) exit 1;; esac')
    expect(await ao('service', 'install')).toMatchObject({ code: 1 })
    expect(readFileSync(file, 'utf8')).toBe(older)
  })

  it('touches no unit that somebody else wrote', async () => {
    await ao('service', 'install')
    const { file } = await status()
    writeFileSync(file, '[Service]\n')
    for (const act of ['install', 'uninstall']) {
      expect((await ao('service', act)).stderr).toContain('is there, and ao did not write it')
    }
    expect(readFileSync(file, 'utf8')).toBe('[Service]\n')
  })

  it('is refused while a loop runs that the service could not replace', async () => {
    await ao('start')
    const { code, stderr } = await ao('service', 'install')
    expect({ code, stderr }).toMatchObject({ code: 5, stderr: expect.stringContaining('hint: Stop it first: ao stop') })
    await ao('stop')
  })
})
