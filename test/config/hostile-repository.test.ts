// G20: repositories that bring code along. None of it runs before the user has consented to exactly this content, and none
// after they revoked that.
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { loadConfigCached } from '../../src/config/load-config-cached.ts'
import { requireTrust, revokeTrust, trust, untrustedItems } from '../../src/config/trust/trust.ts'
import type { OrchestratorConfig } from '../../src/contract/config.ts'
import { createLog } from '../../src/lib/log.ts'
import { createPluginRegistry } from '../../src/plugins/registry.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

let temp: TempHome
let repo: string
let canary: string
let warnings: string[]
beforeEach(() => {
  temp = createTempHome()
  repo = join(temp.home, 'repo')
  canary = join(temp.home, 'canary')
  warnings = []
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const NOW = new Date('2026-01-02T03:04:05Z')
const place = () => ({ home: temp.home, env: temp.env })

function write(path: string, text: string): void {
  mkdirSync(dirname(join(repo, path)), { recursive: true })
  writeFileSync(join(repo, path), text)
}
const code = (name = 'evil', exported = 'export const plugin =') => `
  import { writeFileSync } from 'node:fs'
  writeFileSync(${JSON.stringify(canary)}, 'ran')
  ${exported} {
    manifest: { slot: 'agent', name: '${name}', description: 'x', version: '1' },
    create: (options) => ({ name: '${name}', options }),
  }`

function load(external: string): OrchestratorConfig {
  write('agent-orchestrator.yaml', `plugins:\n  external:\n    - ${external}\nprojects: {}\n`)
  return loadConfig({ path: join(repo, 'agent-orchestrator.yaml'), ...place() })
}

/** Everything that a read-only command does with plugins. */
async function useEverything(config: OrchestratorConfig) {
  const registry = createPluginRegistry({ ...place(), log: createLog('warn', (line) => warnings.push(line)) })
  await loadConfigCached({ path: config.configPath, ...place(), version: '1' })
  await registry.loadBuiltins(config, { lazy: true })
  await registry.find('agent', 'evil')
  await registry.list()
  untrustedItems(config, place())
  return registry
}
const agree = (config: OrchestratorConfig) => trust(untrustedItems(config, place()), { ...place(), now: NOW })

/** Each name of an import must be new: a module runs once in a process. */
let number = 0
const fresh = (path: string) => path.replace('PLUGIN', `plugin${number++}`)

const TRAPS: Array<[what: string, plant: () => string]> = [
  ['a file', () => plant('tools/PLUGIN/evil.mjs', (path) => [`path: ./${path}`, code()])],
  ['a TypeScript file', () => plant('tools/PLUGIN/evil.ts', (path) => [`path: ./${path}`, code()])],
  ['a file beside the configuration', () => plant('PLUGIN.mjs', (path) => [`path: ${path}`, code()])],
  ['a directory', () => plant('tools/PLUGIN/index.mjs', (path) => [`path: ./${dirname(path)}`, code()])],
  [
    'a directory with package.json and exports',
    () => {
      const path = fresh('tools/PLUGIN')
      write(`${path}/package.json`, '{"type":"module","exports":{".":{"import":"./lib/evil.js"}},"main":"none.js"}')
      write(`${path}/lib/evil.js`, code())
      return `path: ${path}`
    },
  ],
  [
    'a directory with package.json and main',
    () => {
      const path = fresh('tools/PLUGIN')
      write(`${path}/package.json`, '{"type":"module","main":"evil.js"}')
      write(`${path}/evil.js`, code('evil', 'export default'))
      return `path: ${path}`
    },
  ],
  [
    'CommonJS',
    () => {
      const path = fresh('tools/PLUGIN')
      const body = `require('node:fs').writeFileSync(${JSON.stringify(canary)}, 'ran'); module.exports = { plugin: { manifest: { slot: 'agent', name: 'evil', description: 'x', version: '1' }, create: () => ({ name: 'evil' }) } }`
      write(`${path}/index.cjs`, body)
      return `path: ${path}/index.cjs`
    },
  ],
  [
    'a package in node_modules',
    () => {
      const name = fresh('ao-PLUGIN')
      write(`node_modules/${name}/package.json`, '{"type":"module","exports":"./evil.js"}')
      write(`node_modules/${name}/evil.js`, code())
      return `package: ${name}`
    },
  ],
  [
    'a scoped package in node_modules',
    () => {
      const name = fresh('@evil/PLUGIN')
      write(`node_modules/${name}/index.mjs`, code())
      return `package: "${name}"`
    },
  ],
  [
    'code that its entry imports',
    () => {
      const path = fresh('tools/PLUGIN')
      write(`${path}/deep/evil.mjs`, code())
      write(`${path}/index.mjs`, "export { plugin } from './deep/evil.mjs'")
      return `path: ${path}`
    },
  ],
  [
    'a link to a directory',
    () => {
      const path = fresh('tools/PLUGIN')
      write(`${path}/index.mjs`, code())
      symlinkSync(join(repo, path), join(repo, 'link'))
      return 'path: link'
    },
  ],
  [
    'a link that pretends to be in the user’s plugin directory',
    () => {
      const path = fresh('tools/PLUGIN')
      write(`${path}/index.mjs`, code())
      mkdirSync(join(temp.home, '.ao', 'plugins'), { recursive: true })
      return `path: ~/.ao/plugins/../../repo/${path}`
    },
  ],
]

function plant(pattern: string, make: (path: string) => [external: string, text: string]): string {
  const path = fresh(pattern)
  const [external, text] = make(path)
  write(path, text)
  return external
}

describe('G20 a repository that brings code along', () => {
  it.each(TRAPS)('%s: runs only between trust and its end', async (_what, plantTrap) => {
    const config = load(plantTrap())
    const before = await useEverything(config)
    expect(existsSync(canary)).toBe(false)
    await expect(before.load('agent', 'evil')).rejects.toThrow(expect.objectContaining({ code: 'CONFIG_UNTRUSTED' }))
    expect((await before.list()).at(-1)).toMatchObject({
      manifest: null,
      loaded: false,
      error: expect.stringContaining('trusted'),
    })
    expect(warnings.join()).toContain('ao config trust')
    expect(() => requireTrust(config, place())).toThrow(expect.objectContaining({ code: 'CONFIG_UNTRUSTED' }))

    await agree(config)
    const after = await useEverything(config)
    expect(existsSync(canary)).toBe(true)
    expect((await after.load('agent', 'evil')).name).toBe('evil')

    rmSync(canary)
    await revokeTrust(config.configPath, place())
    const revoked = await useEverything(config)
    expect(revoked.get('agent', 'evil')).toBeNull()
    expect(existsSync(canary)).toBe(false)
  })

  it.each([
    ['its entry', (path: string) => write(`${path}/index.mjs`, `${code()} // changed`)],
    ['a file that it imports', (path: string) => write(`${path}/lib.mjs`, 'export const a = 2')],
    ['a package that it carries', (path: string) => write(`${path}/node_modules/dep/index.js`, 'x')],
  ])('T18 a change of %s ends the trust in it', async (_what, change) => {
    const path = fresh('tools/PLUGIN')
    write(`${path}/index.mjs`, code())
    write(`${path}/lib.mjs`, 'export const a = 1')
    const config = load(`path: ${path}`)
    await agree(config)
    change(path)
    const registry = await useEverything(config)
    expect(registry.get('agent', 'evil')).toBeNull()
    expect(existsSync(canary)).toBe(false)
  })

  it.each([
    ['an entry outside of its package', '{"main":"../outside.mjs"}', 'lies outside'],
    ['an entry outside through a link', '{"main":"link.mjs"}', 'lies outside'],
    ['a package.json that is none', '{', 'cannot be read'],
  ])('refuses %s, trusted or not', async (_what, manifest, message) => {
    const path = fresh('tools/PLUGIN')
    write(`${path}/package.json`, manifest)
    write('tools/outside.mjs', code())
    symlinkSync(join(repo, 'tools/outside.mjs'), join(repo, path, 'link.mjs'))
    const config = load(`path: ${path}`)
    await agree(config)
    const registry = await useEverything(config)
    expect((await registry.list()).at(-1)?.error).toContain(message)
    expect(existsSync(canary)).toBe(false)
  })

  it.each(['../evil', '/etc', 'a/b/c', '@x', '', '.', 'file:evil'])(
    'refuses %j as the name of a package',
    async (name) => {
      write('evil/index.mjs', code())
      const config = load(`package: ${JSON.stringify(name)}`)
      await agree(config)
      const registry = await useEverything(config)
      expect((await registry.list()).at(-1)?.error).toContain('not the name of a package')
      expect(existsSync(canary)).toBe(false)
    },
  )

  it('cannot hide behind a built-in name before it is trusted', async () => {
    write('tools/demo/index.mjs', code('demo'))
    const config = load('path: tools/demo')
    const registry = createPluginRegistry({ ...place(), log: createLog('error', () => undefined) })
    await registry.loadBuiltins(config, { lazy: true })
    await registry.load('agent', 'demo')
    expect((await registry.list()).find(({ manifest }) => manifest?.name === 'demo')?.source).toBe('built-in')
    expect(existsSync(canary)).toBe(false)
  })
})

describe('external plugins that are trusted', () => {
  it('accept their options, replace a built-in of the same name, and show where they come from', async () => {
    const path = fresh('tools/PLUGIN')
    write(`${path}/index.mjs`, code('demo'))
    const config = load(`{ path: ${path}, config: { a: 1 } }`)
    await agree(config)
    const registry = await useEverything(config)
    expect(await registry.load('agent', 'demo')).toMatchObject({ options: { a: 1 } })
    expect((await registry.list()).find(({ manifest }) => manifest?.name === 'demo')).toMatchObject({
      source: join(repo, path, 'index.mjs'),
      loaded: true,
    })
  })

  it('need no question from the user’s plugin directory', async () => {
    const name = fresh('ao-PLUGIN')
    write(`../.ao/plugins/node_modules/${name}/index.mjs`, code())
    const registry = await useEverything(load(`package: ${name}`))
    expect((await registry.load('agent', 'evil')).name).toBe('evil')
    expect((await registry.list()).find(({ manifest }) => manifest?.name === 'evil')?.source).toBe(name)
  })

  it('need no question in the user’s own configuration', async () => {
    const path = fresh('.config/agent-orchestrator/PLUGIN.mjs')
    write(`../${path}`, code())
    const own = join(temp.home, '.config', 'agent-orchestrator', 'config.yaml')
    writeFileSync(own, `plugins: { external: [{ path: ~/${path} }] }\nprojects: {}\n`)
    const registry = await useEverything(loadConfig({ path: own, ...place() }))
    expect((await registry.load('agent', 'evil')).name).toBe('evil')
  })

  it.each([
    ['no plugin', 'export const other = 1', 'it has no export `plugin`'],
    ['no manifest', 'export const plugin = {}', 'it has no manifest'],
    [
      'a manifest of another kind',
      "export const plugin = { manifest: { slot: 'agents', name: 1, version: '' } }",
      'manifest.slot is not one of runtime, agent, workspace, tracker, scm, notifier, terminal; manifest.name is not a text; manifest.description is not a text; manifest.version is not a text; create is not a function',
    ],
    ['an error', "throw new Error('boom at import')", 'boom at import'],
    ['a syntax error', 'export const = ', 'cannot be loaded'],
  ])('are refused with reasons when they have %s', async (_what, text, message) => {
    const path = fresh('tools/PLUGIN')
    write(`${path}/index.mjs`, text)
    const config = load(`path: ${path}`)
    await agree(config)
    const registry = await useEverything(config)
    expect((await registry.list()).at(-1)?.error).toContain(message)
    const error = await captured(() => registry.load('agent', 'mine'))
    expect(error).toMatchObject({ code: 'PLUGIN_NOT_FOUND', message: expect.stringContaining(message) })
  })

  it('are reported when they are missing, and do not stop the others', async () => {
    const registry = await useEverything(load('path: ./nowhere'))
    expect((await registry.list()).at(-1)?.error).toContain(
      `The plugin ./nowhere is not there: looked for ${join(repo, 'nowhere')}`,
    )
    expect((await registry.load('agent', 'demo')).name).toBe('demo')
  })
})

async function captured(action: () => unknown): Promise<unknown> {
  try {
    return await action()
  } catch (error) {
    return error
  }
}
