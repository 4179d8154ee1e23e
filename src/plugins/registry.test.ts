import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agreeToAll } from '../../test/support/agree.ts'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { loadConfig } from '../config/load-config.ts'
import { readConsents, requireTrust, revokeTrust } from '../config/trust/trust.ts'
import { AoError } from '../contract/errors.ts'
import { SLOT_NAMES } from '../contract/ids.ts'
import { createLog } from '../lib/log.ts'
import { definePlugin, type PluginContext } from '../slots/plugin.ts'
import type { PluginRegistry } from '../slots/registry.ts'
import type { Runtime } from '../slots/runtime.ts'
import type { Workspace } from '../slots/workspace.ts'
import { BUILTIN_PLUGINS } from './builtin.ts'
import { createPluginRegistry } from './registry.ts'

let temp: TempHome
let warnings: string[]
beforeEach(() => {
  temp = createTempHome()
  warnings = []
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const open = () =>
  createPluginRegistry({ home: temp.home, env: temp.env, log: createLog('warn', (line) => warnings.push(line)) })

function config(text = 'projects: {}\n', path = join(temp.home, 'repo', 'agent-orchestrator.yaml')) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return loadConfig({ path, home: temp.home, env: temp.env })
}

interface FakeWorkspace {
  made: number
  options: Record<string, unknown>
  context: PluginContext
}

function fakeWorkspace(name = 'fake') {
  let made = 0
  return definePlugin({
    manifest: { slot: 'workspace', name, description: 'fake', version: '1' },
    create: (options, context) => ({ made: ++made, options, context }) as unknown as Workspace,
  })
}

describe('built-in plugins', () => {
  it('S2.5 S2.6 are registered by loadBuiltins and given by slot and name', async () => {
    const registry = open()
    await registry.loadBuiltins(config())
    const runtime: Runtime | null = registry.get<Runtime>('runtime', 'tmux')
    expect(runtime?.name).toBe('tmux')
    expect((await registry.load('agent', 'demo')).name).toBe('demo')
    expect(registry.get('agent', 'nothing')).toBeNull()
  })

  it('S0.8 fill slots that there are', () => {
    expect(SLOT_NAMES).toEqual(['runtime', 'agent', 'workspace', 'tracker', 'scm', 'notifier', 'terminal'])
    for (const { slot } of BUILTIN_PLUGINS) expect(SLOT_NAMES).toContain(slot)
  })

  it.each(BUILTIN_PLUGINS.map((one) => [`${one.slot} ${one.name}`, one] as const))(
    'the table says of %s what the plugin says of itself',
    async (_title, { slot, name, load }) => {
      const { plugin } = await load()
      expect(plugin.manifest).toMatchObject({ slot, name })
      expect(plugin.manifest.description).not.toBe('')
    },
  )

  it('are loaded on demand when lazy', async () => {
    const registry = open()
    await registry.loadBuiltins(config(), { lazy: true })
    expect(registry.get('agent', 'demo')).toBeNull()
    const [first, second] = await Promise.all([registry.load('agent', 'demo'), registry.find('agent', 'demo')])
    expect(first.name).toBe('demo')
    expect(second).toBe(first)
    expect(registry.get('agent', 'codex')).toBeNull()
    expect(await registry.find('agent', 'nothing')).toBeNull()
  })

  it('are all listed, with what they are', async () => {
    const listed = await open().list()
    expect(listed.map(({ manifest }) => `${manifest?.slot} ${manifest?.name}`).toSorted()).toEqual(
      BUILTIN_PLUGINS.map(({ slot, name }) => `${slot} ${name}`).toSorted(),
    )
    for (const { manifest } of listed) expect(manifest?.description).not.toBe('')
  })

  it('report whether they can work here, without throwing', async () => {
    const found = await open().detect('agent')
    expect(found).toContainEqual(expect.objectContaining({ name: 'demo', ok: true }))
    expect(found.map(({ name }) => name).toSorted()).toEqual(
      BUILTIN_PLUGINS.filter(({ slot }) => slot === 'agent')
        .map(({ name }) => name)
        .toSorted(),
    )
  })
})

describe('plugins that a program registers', () => {
  it('S0.5 S2.10 are used like any other, and win over built-ins, before and after loading', async () => {
    for (const early of [true, false]) {
      const registry = open()
      if (early) registry.register(fakeWorkspace('worktree'))
      await registry.loadBuiltins(config())
      if (!early) registry.register(fakeWorkspace('worktree'))
      expect(await registry.load('workspace', 'worktree')).toMatchObject({ made: 1 })
    }
  })

  it('are made once, and anew when registered again', () => {
    const registry = open()
    registry.register(fakeWorkspace())
    expect(registry.get('workspace', 'fake')).toBe(registry.get('workspace', 'fake'))
    const first = registry.get('workspace', 'fake')
    registry.register(fakeWorkspace())
    expect(registry.get('workspace', 'fake')).not.toBe(first)
  })

  it('S1.107 get the options of their slot when it names them', async () => {
    const registry = open()
    registry.register(fakeWorkspace('mine'))
    registry.register(fakeWorkspace('other'))
    const chosen = config('plugins: { workspace: { name: mine, config: { worktreeDir: ~/x } } }\nprojects: {}\n')
    await agreeToAll(chosen, { home: temp.home, env: temp.env })
    await registry.loadBuiltins(chosen, { lazy: true })
    const optionsOf = (choice: string | { plugin: string }) =>
      (registry.get('workspace', choice) as unknown as FakeWorkspace).options
    expect(optionsOf('mine')).toEqual({ worktreeDir: '~/x' })
    expect(optionsOf('other')).toEqual({})
    expect(optionsOf({ plugin: 'mine', ...{ depth: 1 } })).toEqual({ worktreeDir: '~/x', depth: 1 })
    expect(optionsOf({ plugin: 'mine', ...{ worktreeDir: '~/y' } })).toEqual({ worktreeDir: '~/y' })
    expect(optionsOf('mine')).toEqual({ worktreeDir: '~/x' })
  })

  it('S1.104 learn where things are', async () => {
    const registry = open()
    registry.register(fakeWorkspace())
    await registry.loadBuiltins(config(), { lazy: true })
    const { context } = (await registry.load('workspace', 'fake')) as unknown as FakeWorkspace
    expect(context).toMatchObject({
      home: temp.home,
      configDir: join(temp.home, 'repo'),
      dataDir: join(temp.home, '.agent-orchestrator'),
    })
  })

  it('are asked whether they can work, and an error is an answer', async () => {
    const registry = open()
    registry.register({ ...fakeWorkspace('fine'), detect: async () => ({ ok: false, detail: 'no', fix: 'do' }) })
    registry.register({ ...fakeWorkspace('silent') })
    registry.register({
      ...fakeWorkspace('failing'),
      detect: () => {
        throw new Error('boom')
      },
    })
    const found = await registry.detect('workspace')
    expect(found).toContainEqual({ name: 'fine', ok: false, detail: 'no', fix: 'do' })
    expect(found).toContainEqual({ name: 'silent', ok: true, detail: 'needs nothing' })
    expect(found).toContainEqual({ name: 'failing', ok: false, detail: 'could not be checked: boom' })
  })

  it('keep their own errors and get a name for others', () => {
    const registry = open()
    const failing = (name: string, error: Error) =>
      registry.register({
        ...fakeWorkspace(name),
        create: () => {
          throw error
        },
      })
    failing('typed', new AoError('CONFIG_INVALID', 'no such option'))
    failing('other', new TypeError('boom'))
    expect(() => registry.get('workspace', 'typed')).toThrow('no such option')
    expect(() => registry.get('workspace', 'other')).toThrow('The plugin workspace other cannot be used: boom')
  })
})

describe('consent', () => {
  const TEXT = (dir: string) => `plugins: { workspace: { name: mine, config: { dir: ${dir} } } }\nprojects: {}\n`
  const place = () => ({ home: temp.home, env: temp.env })
  const made = (registry: PluginRegistry) => registry.get('workspace', 'mine') as unknown as FakeWorkspace
  const trustFile = () => join(temp.home, '.ao', 'trust.json')

  async function openTrusted(text = TEXT('~/x')) {
    const registry = open()
    registry.register(fakeWorkspace('mine'))
    const trusted = config(text)
    await agreeToAll(trusted, place())
    await registry.loadBuiltins(trusted, { lazy: true })
    // A file that was written a moment ago is read every time.
    await expect.poll(() => new Set([readConsents(place()), readConsents(place())]).size).toBe(1)
    return { registry, trusted }
  }

  it('is asked for once as long as nothing changed', async () => {
    const { registry, trusted } = await openTrusted()
    let walks = 0
    const source = new Proxy(trusted.source!, {
      ownKeys(target) {
        walks += 1
        return Reflect.ownKeys(target)
      },
    })
    await registry.loadBuiltins({ ...trusted, source }, { lazy: true })
    const first = made(registry)
    for (let round = 0; round < 20; round++) expect(made(registry)).toBe(first)
    expect(await registry.load('workspace', 'mine')).toBe(first)
    requireTrust({ ...trusted, source }, place())
    expect(walks).toBe(1)
  })

  it('that is withdrawn ends with the next use', async () => {
    const { registry, trusted } = await openTrusted()
    expect(made(registry).options).toEqual({ dir: '~/x' })
    await revokeTrust(trusted.configPath, place())
    expect(() => made(registry)).toThrow(expect.objectContaining({ code: 'CONFIG_UNTRUSTED' }))
    await expect(registry.find('workspace', 'mine')).rejects.toThrow('you have not agreed to')
    await agreeToAll(trusted, place())
    expect(made(registry).options).toEqual({ dir: '~/x' })
  })

  it('is read again from a file of the same size and time', async () => {
    const { registry } = await openTrusted()
    made(registry)
    const { atime, mtime, size } = statSync(trustFile())
    const text = readFileSync(trustFile(), 'utf8')
    const other = text.replace(/"([0-9a-f]{64})"/, (_, hash: string) => `"${[...hash].reverse().join('')}"`)
    expect(other).not.toBe(text)
    writeFileSync(trustFile(), other)
    utimesSync(trustFile(), atime, mtime)
    expect(statSync(trustFile())).toMatchObject({ size, mtime })
    expect(() => made(registry)).toThrow(expect.objectContaining({ code: 'CONFIG_UNTRUSTED' }))
  })

  it('ends with a file that is removed or unreadable', async () => {
    const { registry } = await openTrusted()
    made(registry)
    writeFileSync(trustFile(), '{')
    expect(() => made(registry)).toThrow(expect.objectContaining({ code: 'CONFIG_UNTRUSTED' }))
    rmSync(trustFile())
    expect(() => made(registry)).toThrow(expect.objectContaining({ code: 'CONFIG_UNTRUSTED' }))
  })

  it('is needed for an edited option, which makes another instance', async () => {
    const { registry } = await openTrusted()
    const first = made(registry)
    const edited = config(TEXT('~/y'))
    await registry.loadBuiltins(edited, { lazy: true })
    expect(() => made(registry)).toThrow(expect.objectContaining({ code: 'CONFIG_UNTRUSTED' }))
    await agreeToAll(edited, place())
    expect(made(registry)).not.toBe(first)
    expect(made(registry).options).toEqual({ dir: '~/y' })
  })

  it('of one choice is not that of another', async () => {
    const { registry } = await openTrusted()
    const first = made(registry)
    expect(registry.get('workspace', { plugin: 'mine', ...{ depth: 1 } })).not.toBe(first)
    expect(registry.get('workspace', { plugin: 'mine', ...{ depth: 2 } })).toMatchObject({ options: { depth: 2 } })
    expect(made(registry)).toBe(first)
  })

  it('is asked for by a configuration that a program changes in place', async () => {
    const { registry, trusted } = await openTrusted()
    const { source: _, asks: _asks, ...own } = trusted
    await agreeToAll(own, place())
    await registry.loadBuiltins(own, { lazy: true })
    const first = made(registry)
    own.plugins.workspace = { name: 'mine', config: { dir: '~/z' } }
    expect(() => made(registry)).toThrow(expect.objectContaining({ code: 'CONFIG_UNTRUSTED' }))
    own.plugins.workspace = { name: 'mine', config: { dir: '~/x' } }
    expect(made(registry)).toBe(first)
  })
})

describe('a missing plugin', () => {
  it('is named with the nearest and all others', async () => {
    const registry = open()
    await registry.loadBuiltins(config(), { lazy: true })
    const error = await catchError(() => registry.load('agent', 'claud-code'))
    expect(error).toMatchObject({ code: 'PLUGIN_NOT_FOUND', details: { suggestion: 'claude-code' } })
    expect(error.message).toContain(
      'There is no agent plugin claud-code. Did you mean claude-code? There are: claude-code',
    )
    await expect(registry.load('scm', 'githab')).rejects.toThrow('Did you mean github?')
  })
})

async function catchError(action: () => Promise<unknown>): Promise<AoError> {
  try {
    await action()
  } catch (error) {
    return error as AoError
  }
  throw new Error('nothing was thrown')
}
