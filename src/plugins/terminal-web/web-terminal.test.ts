import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { target } from '../../../test/contract/terminal-target.ts'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import { silentLog } from '../../lib/log.ts'
import { createWebTerminal, plugin } from './index.ts'

let temp: TempHome
let env: NodeJS.ProcessEnv
let printed: string[]

beforeEach(() => {
  temp = createTempHome()
  printed = []
  const bin = join(temp.home, 'bin')
  mkdirSync(bin)
  for (const name of ['open', 'xdg-open']) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $1" >"$HOME/opened"\n`)
    chmodSync(join(bin, name), 0o755)
  }
  env = { ...temp.env, PATH: `${bin}:${temp.env.PATH}` }
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const opened = () => {
  const file = join(temp.home, 'opened')
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null
}
const open = (platform: NodeJS.Platform, change: NodeJS.ProcessEnv = {}) =>
  createWebTerminal({
    address: () => 'http://localhost:3000',
    env: { ...env, ...change },
    platform,
    print: (line) => printed.push(line),
  }).openSession(target('mya-1'))
const URL = 'http://localhost:3000/sessions/mya-1'

describe('the terminal web', () => {
  it.each<[NodeJS.Platform, NodeJS.ProcessEnv, string]>([
    ['darwin', {}, 'open'],
    ['linux', { DISPLAY: ':0' }, 'xdg-open'],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, 'xdg-open'],
  ])('S0.58 opens the page on %s with %j, and prints it', async (platform, change, opener) => {
    await open(platform, change)
    expect(opened()).toBe(`${opener} ${URL}`)
    expect(printed).toEqual([URL])
  })

  it('S0.58 only prints it where there is no screen', async () => {
    await open('linux')
    expect(opened()).toBeNull()
    expect(printed).toEqual([URL])
  })

  it('does not wait for a browser that stays open, and does not end it', async () => {
    writeFileSync(join(temp.home, 'bin', 'xdg-open'), '#!/bin/sh\necho "$$" >"$HOME/opened"\nexec sleep 60\n')
    await open('linux', { DISPLAY: ':0' })
    const pid = Number(opened())
    expect(() => process.kill(pid, 0)).not.toThrow()
    process.kill(pid, 'SIGKILL')
  }, 30_000)
})

describe('the plugin', () => {
  const context = () => ({ home: temp.home, env, log: silentLog, configDir: temp.home, dataDir: temp.home })

  it.each([{ port: 0 }, { port: 'x' }, { host: 'example.invalid' }])('refuses %j', (options) => {
    expect(() => plugin.create(options, context())).toThrow('Options of the terminal plugin web')
  })

  it.each([
    ['the running server, not the configured port', {}, 'http://localhost:4711/r/abc/sessions/mya-1'],
    ['a port of its own', { port: 4000 }, 'http://localhost:4000/sessions/mya-1'],
  ])('names %s', async (_what, options, address) => {
    const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    const page = () => 'http://localhost:4711/r/abc'
    await plugin.create(options, { ...context(), port: 3000, page }).openSession(target('mya-1'))
    expect(written.mock.calls.flat()).toContain(`${address}\n`)
    written.mockRestore()
  })
})
