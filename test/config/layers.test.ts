// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { configOrigins } from '../../src/config/config-origins.ts'
import { loadConfig, loadParsed } from '../../src/config/load-config.ts'
import { loadConfigCached } from '../../src/config/load-config-cached.ts'
import { showConfig } from '../../src/config/show-config.ts'
import { trust, untrustedItems } from '../../src/config/trust/trust.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

let temp: TempHome
let user: string
let repository: string
beforeEach(() => {
  temp = createTempHome()
  delete temp.env.AO_PORT
  user = join(temp.home, '.config', 'agent-orchestrator', 'config.yaml')
  repository = join(temp.home, 'repo', 'agent-orchestrator.yaml')
  write(repository, 'projects:\n  app:\n    path: .\n')
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
const place = (env: NodeJS.ProcessEnv = {}) => ({
  cwd: dirname(repository),
  home: temp.home,
  env: { ...temp.env, ...env },
})
const consent = () => ({ home: temp.home, env: temp.env })

describe('a configuration in layers', () => {
  it('takes from each what the ones above do not say', () => {
    write(user, 'port: 4000\ndefaults: { agent: codex, runtime: process, workspace: clone }\n')
    write(repository, 'defaults: { agent: demo }\nprojects:\n  app:\n    path: .\n')
    const config = loadConfig(place({ AO_WORKSPACE: 'worktree', AO_POLL_SECONDS: '5' }))
    expect(config).toMatchObject({
      port: 4000,
      defaults: { agent: 'demo', runtime: 'process', workspace: 'worktree' },
      lifecycle: { pollSeconds: 5 },
      configPath: repository,
    })
  })

  it.each([
    ['AO_PORT', 'x'],
    ['AO_PORT', '70000'],
    ['AO_PORT', '1e3'],
    ['AO_POLL_SECONDS', '0'],
  ])('refuses %s=%s and names the variable', (variable, text) => {
    expect(() => loadConfig(place({ [variable]: text }))).toThrow(expect.objectContaining({ code: 'USAGE' }))
    expect(() => loadConfig(place({ [variable]: text }))).toThrow(variable)
  })

  it('names the file that a problem is in, with the line', () => {
    write(user, '\ndefaults:\n  agnet: codex\n')
    expect(() => loadConfig(place())).toThrow(
      /\.config\/agent-orchestrator\/config\.yaml has a problem:\n {2}config\.yaml:3:3 defaults\.agnet: unknown key; did you mean agent\?/,
    )
    write(user, '\ndashboard: { token: "${NO_SUCH_VARIABLE}" }\n')
    expect(() => loadConfig(place())).toThrow(
      /config\.yaml:2:\d+ dashboard\.token: the environment variable NO_SUCH_VARIABLE/,
    )
    rmSync(user)
    write(repository, 'prot: 1\nprojects: {}\n')
    expect(() => loadConfig(place())).toThrow(/agent-orchestrator\.yaml:1:1 prot: unknown key; did you mean port\?/)
  })

  it('is the user’s file alone where no other applies, and needs projects there', () => {
    rmSync(repository)
    write(user, 'port: 4000\n')
    expect(() => loadConfig(place())).toThrow(expect.objectContaining({ code: 'CONFIG_NOT_FOUND' }))
    write(user, 'port: 4000\nprojects: { mine: { path: ~/mine } }\n')
    expect(Object.keys(loadConfig(place()).projects)).toEqual(['mine'])
    write(repository, 'projects:\n  app:\n    path: .\n')
    expect(Object.keys(loadConfig(place()).projects)).toEqual(['app'])
  })

  it('is cached, and read again when either file has changed', async () => {
    const cached = () => loadConfigCached({ ...place(), version: '1.0.0' })
    write(user, 'port: 4000\n')
    expect((await cached()).port).toBe(4000)
    expect(await cached()).toEqual(loadConfig(place()))
    write(user, 'port: 4001\n')
    expect((await cached()).port).toBe(4001)
    write(repository, 'port: 5000\nprojects: {}\n')
    expect((await cached()).port).toBe(5000)
    rmSync(user)
    write(repository, 'projects: {}\n')
    expect((await cached()).port).toBe(3000)
  })

  it('asks no consent for the user’s words, and for the repository’s only where they count', async () => {
    write(
      user,
      'dashboard: { host: 0.0.0.0, token: "${AO_TOKEN:-0123456789abcdef}" }\nplugins: { external: [{ path: plugin }] }\n',
    )
    write(join(dirname(user), 'plugin', 'index.js'), 'export const plugin = 1')
    expect(untrustedItems(loadConfig(place()), consent())).toEqual([])
    expect(loadConfig(place()).plugins.external).toEqual([{ path: join(dirname(user), 'plugin') }])
    write(repository, 'dashboard: { host: 1.2.3.4, allowedHosts: [evil] }\nprojects: {}\n')
    const config = loadConfig(place())
    expect(config.dashboard).toMatchObject({ host: '0.0.0.0', allowedHosts: ['evil'] })
    expect(untrustedItems(config, consent()).map(({ what }) => what)).toEqual([
      'the dashboard listens with {"allowedHosts":["evil"]}',
    ])
    await trust(untrustedItems(config, consent()), { ...consent(), now: new Date(0) })
    expect(untrustedItems(loadConfig(place()), consent())).toEqual([])
  })

  it('keeps a consent that was given before there was a file of the user', async () => {
    write(repository, 'projects:\n  app:\n    path: .\n    postCreate: [npm ci]\n')
    await trust(untrustedItems(loadConfig(place()), consent()), { ...consent(), now: new Date(0) })
    write(user, 'defaults: { agent: codex }\n')
    expect(untrustedItems(loadConfig(place()), consent())).toEqual([])
  })
})

const LEAVES = {
  port: fc.integer({ min: 1, max: 65_535 }),
  'defaults.agent': fc.constantFrom('codex', 'demo', 'aider'),
  'defaults.runtime': fc.constantFrom('tmux', 'process'),
  'defaults.environment.deny': fc.array(fc.constantFrom('A', 'B'), { minLength: 1 }),
  'defaults.worker.agentConfig.permissions': fc.constantFrom('skip', 'auto-edit', 'default', 'suggest'),
  'dashboard.host': fc.constantFrom('127.0.0.1', '0.0.0.0'),
  'lifecycle.pollSeconds': fc.integer({ min: 1, max: 60 }),
  'reactions.ci-failed.retries': fc.integer({ min: 0, max: 9 }),
} as const
const VARIABLES: Record<string, string> = {
  port: 'AO_PORT',
  'defaults.agent': 'AO_AGENT',
  'defaults.runtime': 'AO_RUNTIME',
  'lifecycle.pollSeconds': 'AO_POLL_SECONDS',
}
type Leaves = Partial<Record<keyof typeof LEAVES, unknown>>
const leaves = () => fc.record(LEAVES, { requiredKeys: [] }) as fc.Arbitrary<Leaves>
/** YAML that repeats no key: what belongs together is nested over several lines. */
function yamlOf(content: Leaves): string {
  const tree: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(content)) {
    const parts = key.split('.')
    let at = tree
    for (const part of parts.slice(0, -1)) {
      at[part] ??= {}
      at = at[part] as Record<string, unknown>
    }
    at[parts.at(-1)!] = value
  }
  const print = (node: Record<string, unknown>, indent: string): string =>
    Object.entries(node)
      .map(([key, value]) =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? `${indent}${key}:\n${print(value as Record<string, unknown>, `${indent}  `)}`
          : `${indent}${key}: ${JSON.stringify(value)}\n`,
      )
      .join('')
  return print(tree, '')
}

describe('the origin of each value', () => {
  it('is the file and the line, or the variable, that really has it', () => {
    const variables = fc.record(
      { port: fc.constant('4567'), 'defaults.agent': fc.constant('gemini'), 'lifecycle.pollSeconds': fc.constant('7') },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(leaves(), leaves(), variables, (ofUser, ofRepository, ofEnvironment) => {
        write(user, `# the user's\n${yamlOf(ofUser)}`)
        write(repository, `${yamlOf(ofRepository)}projects: {}\n`)
        const texts = { [user]: `# the user's\n${yamlOf(ofUser)}`, [repository]: yamlOf(ofRepository) }
        const env = Object.fromEntries(Object.entries(ofEnvironment).map(([key, text]) => [VARIABLES[key]!, text!]))
        const { config, parsed } = loadParsed(place(env))
        const { configPath: _path, projects: _projects, ...shown } = showConfig(config)
        for (const { key, value, origins } of configOrigins(shown, parsed.layers, { ...temp.env, ...env })) {
          for (const origin of origins) {
            if (origin.layer === 'environment') {
              expect(String(value)).toBe(env[origin.variable])
            } else if (origin.layer === 'default') {
              expect([key, ofUser[key as keyof Leaves], ofRepository[key as keyof Leaves]]).toEqual([
                key,
                undefined,
                undefined,
              ])
            } else {
              const written = (origin.layer === 'user' ? ofUser : ofRepository)[key as keyof Leaves]
              if (Array.isArray(value)) expect(value).toEqual(expect.arrayContaining(written as unknown[]))
              else expect(value).toEqual(written)
              const line = texts[origin.file]!.split('\n')[origin.line! - 1]
              expect(line).toContain(`${key.split('.').at(-1)}: ${JSON.stringify(written)}`)
            }
          }
        }
      }),
      { numRuns: 60 },
    )
  })

  it('of a limit is the user’s line, and of what follows from nothing the default', () => {
    write(user, 'defaults:\n  worker:\n    agentConfig:\n      permissions: suggest\n')
    write(repository, 'projects:\n  app:\n    path: .\n    agentConfig: { permissions: skip }\n')
    const { config, parsed } = loadParsed(place())
    const { configPath: _, ...shown } = showConfig(config)
    const values = configOrigins(shown, parsed.layers, temp.env)
    expect(values.find(({ key }) => key === 'projects.app.agentConfig.permissions')).toEqual({
      key: 'projects.app.agentConfig.permissions',
      value: 'suggest',
      origins: [{ layer: 'user', file: user, line: 4 }],
    })
    expect(values.find(({ key }) => key === 'projects.app.sessionPrefix')?.origins).toEqual([{ layer: 'default' }])
    expect(untrustedItems(config, consent())).toEqual([])
  })
})
