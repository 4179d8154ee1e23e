// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import type { OrchestratorConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { loadConfig } from '../load-config.ts'
import { isTrusted, requireTrust, revokeTrust, trust, untrustedItems } from './trust.ts'
import { trustItems } from './trust-items.ts'

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const NOW = new Date('2026-01-02T03:04:05Z')
const location = () => ({ home: temp.home, env: temp.env })
const repo = () => join(temp.home, 'repo')

function load(lines: string[], env: NodeJS.ProcessEnv = {}, path = join(repo(), 'agent-orchestrator.yaml')) {
  write(path, `${lines.join('\n')}\n`)
  return loadConfig({ path, home: temp.home, env: { ...temp.env, ...env } })
}
function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
const agree = (config: OrchestratorConfig) => trust(untrustedItems(config, location()), { ...location(), now: NOW })
const isRefused = (config: OrchestratorConfig) => untrustedItems(config, location()).length > 0

const POST_CREATE = ['projects:', '  app:', '    path: .', '    postCreate: ["npm ci"]']
const PLUGIN = ['plugins:', '  external:', '    - path: ./plugin', 'projects: {}']

describe('trust in what a configuration runs', () => {
  it('asks for nothing when nothing would run', () => {
    const config = load(['projects:', '  app:', '    path: .', '    agentConfig: { model: big, permissions: default }'])
    expect(trustItems(config, location())).toEqual([])
    expect(() => requireTrust(config, location())).not.toThrow()
  })

  it.each(['skip', 'permissionless'])('refuses a repository’s agents that never ask: %s', async (word) => {
    const config = load(['projects:', '  app:', '    path: .', `    agentConfig: { permissions: ${word} }`])
    expect(isRefused(config)).toBe(true)
    await agree(config)
    expect(isRefused(config)).toBe(false)
  })

  it('refuses postCreate commands until the user has agreed, and says how', async () => {
    const config = load(POST_CREATE)
    const error = catchError(() => requireTrust(config, location()))
    expect(error).toMatchObject({ code: 'CONFIG_UNTRUSTED', hint: 'Read it, then trust it with: ao config trust' })
    expect(error.message).toContain('"npm ci"')
    await agree(config)
    expect(() => requireTrust(config, location())).not.toThrow()
  })

  it.each([
    ['another command', ['projects:', '  app:', '    path: .', '    postCreate: ["npm ci && curl evil"]']],
    ['one more command', ['projects:', '  app:', '    path: .', '    postCreate: ["npm ci", "x"]']],
    ['another project', ['projects:', '  other:', '    path: .', '    postCreate: ["npm ci"]']],
  ])('asks again for %s', async (_what, lines) => {
    await agree(load(POST_CREATE))
    expect(isRefused(load(POST_CREATE))).toBe(false)
    expect(isRefused(load(lines))).toBe(true)
  })

  it('asks again for the same text in another key', async () => {
    await agree(load(POST_CREATE))
    expect(isRefused(load(POST_CREATE, {}, join(temp.home, 'clone', 'agent-orchestrator.yaml')))).toBe(true)
  })

  it('does not ask again for a change that runs nothing', async () => {
    await agree(load(POST_CREATE))
    expect(isRefused(load(['port: 3001', '# more', ...POST_CREATE]))).toBe(false)
  })

  it('refuses programs, arguments and environment of agents, wherever they can be configured', async () => {
    const config = load([
      'defaults: { worker: { agentConfig: { args: ["--x"] } } }',
      'projects:',
      '  app:',
      '    path: .',
      '    agentConfig: { command: ./evil }',
      '    worker: { agentConfig: { env: { LD_PRELOAD: ./evil.so } } }',
      '    orchestrator: { agentConfig: { command: [sh, -c, x] } }',
    ])
    expect(trustItems(config, location()).map(({ kind, project, what }) => [kind, project, what])).toEqual([
      ['agent-command', undefined, 'every project starts its worker with {"args":["--x"]}'],
      ['agent-command', 'app', 'project app starts its agent with {"command":"./evil"}'],
      ['agent-command', 'app', 'project app starts its worker with {"env":{"LD_PRELOAD":"./evil.so"}}'],
      ['agent-command', 'app', 'project app starts its orchestrator with {"command":["sh","-c","x"]}'],
    ])
    expect(() => requireTrust(config, { ...location(), kinds: ['postCreate'] })).not.toThrow()
    expect(() => requireTrust(config, location())).toThrow('LD_PRELOAD')
  })

  it('asks only for the project in question', () => {
    const config = load([...POST_CREATE, '  other:', '    path: ./other'])
    expect(() => requireTrust(config, { ...location(), projectId: 'other' })).not.toThrow()
    expect(() => requireTrust(config, { ...location(), projectId: 'app' })).toThrow(AoError)
  })

  it('trusts the words of the file, so that a new value of a variable asks nothing and is stored nowhere', async () => {
    const lines = ['projects:', '  app:', '    path: .', '    agentConfig: { env: { KEY: "${KEY}" } }']
    await agree(load(lines, { KEY: 'hunter2' }))
    expect(isRefused(load(lines, { KEY: 'changed' }))).toBe(false)
    expect(readFileSync(join(temp.home, '.ao', 'trust.json'), 'utf8')).not.toContain('hunter2')
  })

  it('hides nothing from the reader', () => {
    const config = load(['projects:', '  app:', '    path: .', '    postCreate: ["a\\e[2Kb\\u202Ec\\u200Bd"]'])
    const [item] = trustItems(config, location())
    expect(item?.what).toContain('\\u001b[2Kb')
    expect(item?.what).toContain('\\u202ec\\u200bd')
  })

  it('trusts the configuration in the user’s own directory by its location, also through a link', () => {
    const own = join(temp.home, '.config', 'agent-orchestrator', 'config.yaml')
    expect(isRefused(load(POST_CREATE, {}, own))).toBe(false)
    rmSync(own)
    const dotfiles = load(POST_CREATE, {}, join(temp.home, 'dotfiles', 'config.yaml'))
    expect(isRefused(dotfiles)).toBe(true)
    symlinkSync(dotfiles.configPath, own)
    expect(isRefused(dotfiles)).toBe(false)
  })

  it('takes trust back', async () => {
    const config = load(POST_CREATE)
    await agree(config)
    const other = load(POST_CREATE, {}, join(temp.home, 'clone', 'agent-orchestrator.yaml'))
    await agree(other)
    expect(await revokeTrust(config.configPath, location())).toBe(1)
    expect(isRefused(config)).toBe(true)
    expect(isRefused(other)).toBe(false)
  })
})

describe('trust in plugins', () => {
  const plugin = () => join(repo(), 'plugin')

  it.each([
    ['a changed byte', () => write(join(plugin(), 'index.js'), 'export const plugin = 2')],
    ['a new file', () => write(join(plugin(), 'deep', 'more.js'), '')],
    ['a file that is gone', () => rmSync(join(plugin(), 'lib', 'a.js'))],
    ['a renamed file', () => renameSync(join(plugin(), 'lib', 'a.js'), join(plugin(), 'lib', 'b.js'))],
    ['a link to elsewhere', () => symlinkSync('/etc/hostname', join(plugin(), 'link'))],
    ['an entry that moved', () => write(join(plugin(), 'package.json'), '{"main":"lib/a.js"}')],
  ])('ends with %s', async (_what, change) => {
    write(join(plugin(), 'index.js'), 'export const plugin = 1')
    write(join(plugin(), 'lib', 'a.js'), 'a')
    const config = load(PLUGIN)
    expect(() => requireTrust(config, location())).toThrow(`plugin ./plugin: the code in ${plugin()}`)
    await agree(config)
    expect(isRefused(config)).toBe(false)
    change()
    expect(isRefused(config)).toBe(true)
  })

  it('does not end with what git writes', async () => {
    write(join(plugin(), 'index.js'), '1')
    const config = load(PLUGIN)
    await agree(config)
    write(join(plugin(), '.git', 'index'), 'x')
    expect(isRefused(config)).toBe(false)
  })

  it('asks for packages beside the configuration, not for those the user installed', () => {
    const lines = ['plugins: { external: [{ package: "@x/ao-thing" }] }', 'projects: {}']
    write(join(repo(), 'node_modules', '@x', 'ao-thing', 'index.js'), '1')
    expect(isRefused(load(lines))).toBe(true)
    write(join(temp.home, '.ao', 'plugins', 'node_modules', '@x', 'ao-thing', 'index.js'), '1')
    expect(isRefused(load(lines))).toBe(false)
  })

  it('asks nothing for a plugin that is switched off', () => {
    write(join(plugin(), 'index.js'), '1')
    expect(isRefused(load(['plugins: { external: [{ path: ./plugin, enabled: false }] }', 'projects: {}']))).toBe(false)
  })
})

describe('the file of what is trusted', () => {
  it('is private and whole', async () => {
    await agree(load(POST_CREATE))
    const file = join(temp.home, '.ao', 'trust.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(Object.values(JSON.parse(readFileSync(file, 'utf8')).trusted)).toMatchObject([
      { kind: 'postCreate', configPath: join(repo(), 'agent-orchestrator.yaml'), trustedAt: NOW.toISOString() },
    ])
  })

  it.each(['', '{', 'null', '[]', '{"trusted":null}', '{"trusted":{"x":null}}', '{"trusted":"x"}'])(
    'trusts nothing when it is damaged (%s), and can be written again',
    async (damage) => {
      const config = load(POST_CREATE)
      write(join(temp.home, '.ao', 'trust.json'), damage)
      expect(isRefused(config)).toBe(true)
      await revokeTrust('/nowhere', location())
      await agree(config)
      expect(isRefused(config)).toBe(false)
    },
  )

  it('keeps what many give at once', async () => {
    const configs = Array.from({ length: 12 }, (_, index) =>
      load(POST_CREATE, {}, join(temp.home, `repo${index}`, 'agent-orchestrator.yaml')),
    )
    await Promise.all(configs.map(agree))
    expect(configs.filter(isRefused)).toEqual([])
    expect(trustItems(configs[3]!, location()).every((item) => isTrusted(item, location()))).toBe(true)
    expect(existsSync(join(temp.home, '.ao', 'trust.json.lock'))).toBe(false)
  })
})

function catchError(action: () => unknown): AoError {
  try {
    action()
  } catch (error) {
    return error as AoError
  }
  throw new Error('nothing was thrown')
}
