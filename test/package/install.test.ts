// The package from its tarball, in an empty directory and an empty HOME, with nothing on PATH but node and git.
import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRepo } from '../support/git-repo.ts'
import { filesBelow, type InstalledPackage, installPackage, ROOT } from '../support/installed-package.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { checkTesting } from './plugin-author.ts'

const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string
  man: string[]
  dependencies: Record<string, string>
}

let installed: InstalledPackage
let temp: TempHome
beforeAll(() => {
  installed = installPackage()
}, 240_000)
afterAll(() => rmSync(installed.root, { recursive: true, force: true }))
beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

function run(command: string, args: string[], cwd = temp.home): SpawnSyncReturns<string> {
  const env = { ...temp.env, PATH: installed.path, DEMO_AGENT_SPEED: '200' }
  return spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: 50_000 })
}

describe('what npm installs', () => {
  it('is at most eight packages and 50 MB', () => {
    const modules = join(installed.directory, 'node_modules')
    const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'))
    expect(Object.keys(packages).length).toBeLessThanOrEqual(8)
    const bytes = filesBelow(modules).reduce((sum, path) => sum + statSync(join(modules, path)).size, 0)
    expect(bytes / 1024 / 1024).toBeLessThan(50)
  })

  it('has the commands, the documentation and the licences, but no source maps, sources or tests', () => {
    expect(readdirSync(join(installed.directory, 'node_modules/.bin')).sort()).toEqual(['agh', 'ao', 'ao-fleet'])
    const files = filesBelow(installed.own)
    for (const path of ['LICENSE', 'README.md', 'SECURITY.md', 'CHANGELOG.md', 'dist/THIRD-PARTY-LICENSES.txt']) {
      expect(files).toContain(path)
    }
    for (const path of MANIFEST.man) expect(readFileSync(join(installed.own, path), 'utf8')).toMatch(/^\.TH A/)
    expect(files.filter((path) => /\.map$|\.test\.|^(src|test|web)\/|(^|\/)\.[^/]*$/.test(path))).toEqual([])
  })

  it('has the licence of every package that the bundles are made of', () => {
    const text = readFileSync(join(installed.own, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8')
    // Neither a bundler nor an import names these: a copied file, and what is compiled into a WebAssembly file.
    const unseen = ['@octokit/graphql-schema', 'jq', 'oniguruma', 'decnumber']
    const missing = [...bundledPackages(), ...importedIn('src'), ...importedIn('web/src'), ...unseen].filter(
      (name) => !new RegExp(`^${name.replaceAll('/', '\\/')} (\\d+\\.\\S+ )?\\(.+\\)$`, 'm').test(text),
    )
    expect(missing).toEqual([])
    expect(text).toContain('Copyright (c) Meta Platforms')
    expect(text).toMatch(/Apache License\s+Version 2\.0/)
  })

  /** By the maps of the build, which name every source. */
  function bundledPackages(): string[] {
    const dist = join(installed.source, 'dist')
    const maps = readdirSync(dist).filter((name) => name.endsWith('.js.map'))
    const sources = maps.flatMap((name) => JSON.parse(readFileSync(join(dist, name), 'utf8')).sources as string[])
    const names = sources.flatMap((source) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? [])
    expect(names.length).toBeGreaterThan(0)
    return [...new Set(names)]
  }

  /** Packages that our own code names, but for those that npm installs. */
  function importedIn(folder: string): string[] {
    const sources = filesBelow(join(ROOT, folder)).filter((path) => /(?<!\.test)\.tsx?$/.test(path))
    const texts = sources.map((path) => readFileSync(join(ROOT, folder, path), 'utf8'))
    const named = /(?:^import (?!type ).*|\bimport\()'((?:@[a-z][^/']*\/)?[a-z][^/':]*)(?:\/[^']*)?'/gm
    const names = texts.flatMap((text) => [...text.matchAll(named)].map(([, name]) => name!))
    expect(names.length).toBeGreaterThan(0)
    return [...new Set(names)].filter((name) => name === 'zod' || !(name in MANIFEST.dependencies))
  }
})

describe('the installed commands', () => {
  it.each(['ao', 'agh', 'ao-fleet'])('%s says its version', (command) => {
    expect(run(command, ['--version'])).toMatchObject({ status: 0, stdout: `${MANIFEST.version}\n`, stderr: '' })
  })

  it('start an agent in a worktree of its own, show it and end it', () => {
    const repo = createRepo(join(temp.home, 'app'), temp.env)
    expect(run('ao', ['init', '--agent', 'demo'], repo)).toMatchObject({ status: 0 })
    const { status, stdout, stderr } = run('ao', ['spawn', '--prompt', 'Write a greeting', '--json'], repo)
    expect({ status, stderr }).toMatchObject({ status: 0 })
    const { id } = (JSON.parse(stdout) as { session: { id: string } }).session
    expect(run('ao', ['status'], repo).stdout).toContain(id)
    expect(run('ao', ['session', 'kill', id], repo)).toMatchObject({ status: 0 })
  })

  it('keep an agh session in its database', () => {
    const repo = createRepo(join(temp.home, 'app'), temp.env)
    expect(run('agh', ['install'], repo)).toMatchObject({ status: 0 })
    expect(run('agh', ['session', 'list', '--json'], repo)).toMatchObject({ status: 0 })
    expect(run('agh', ['daemon', 'stop'], repo)).toMatchObject({ status: 0 })
  })
})

describe('the installed library', () => {
  const CONSUMER = `
import { createPluginRegistry, createSessionManager, loadConfig, type Session } from 'ao-fleet'
import { definePlugin, type Notifier } from 'ao-fleet/plugin'
import * as z from 'zod'

export async function first(): Promise<Session[]> {
  const config = loadConfig()
  const registry = createPluginRegistry()
  await registry.loadBuiltins(config)
  return createSessionManager({ config, registry }).list()
}
export const plugin = definePlugin({
  manifest: { slot: 'notifier', name: 'shout', description: 'Shouts', version: '1.0.0' },
  options: z.strictObject({ word: z.string() }),
  create: ({ word }): Notifier => ({ name: word, notify: async ({ message }) => console.log(word + message) }),
})
`

  it('has types that a strict program compiles against', () => {
    const project = join(installed.directory, 'consumer')
    mkdirSync(project)
    writeFileSync(join(project, 'main.ts'), CONSUMER)
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      module: 'nodenext',
      target: 'es2024',
      noEmit: true,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    }
    writeFileSync(join(project, 'package.json'), '{"type":"module"}')
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    const tsc = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', project], { encoding: 'utf8' })
    expect(tsc).toMatchObject({ status: 0, stdout: '' })
  })

  it('is imported by a program next to it', () => {
    const code = "import('ao-fleet').then((ao) => console.log(Object.keys(ao).includes('createSessionManager')))"
    const output = execFileSync(process.execPath, ['-e', code], { cwd: installed.directory, encoding: 'utf8' })
    expect(output).toBe('true\n')
  })
})

describe('a plugin with nothing installed next to it', () => {
  const write = (repo: string, word: string, text: string) => {
    mkdirSync(join(repo, 'tools/shout'), { recursive: true })
    writeFileSync(join(repo, 'tools/shout/index.ts'), text)
    writeFileSync(
      join(repo, 'agent-orchestrator.yaml'),
      `plugins:
  notifier: { name: shout, config: { ${word}: hey } }
  external: [{ path: ./tools/shout }]
defaults: { notifiers: [shout] }
projects: { app: { path: ., agent: demo } }
`,
    )
  }
  const plugin = (zod: string, from: string) => `import { definePlugin } from '${from}'
import * as z from '${zod}'
export const plugin = definePlugin({
  manifest: { slot: 'notifier', name: 'shout', description: 'Shouts', version: '1.0.0' },
  options: z.strictObject({ word: z.string() }),
  create: ({ word }) => ({ name: 'shout', notify: async ({ message }) => console.error(word, message) }),
})
`

  it.each([
    ['zod', 'ao-fleet/plugin'],
    ['zod/mini', 'ao-fleet/plugin'],
    ['zod', 'agent-orchestrator/plugin'],
  ])('checks its options with the %s that ao lends, and imports %s', (zod, from) => {
    const repo = createRepo(join(temp.home, 'app'), temp.env)
    write(repo, 'word', plugin(zod, from))
    expect(run('ao', ['config', 'trust', '--yes'], repo)).toMatchObject({ status: 0 })
    const result = run('ao', ['doctor', '--test-notify'], repo)
    expect(result.stderr).toContain('hey This is a test')
    expect(existsSync(join(repo, 'node_modules'))).toBe(false)
    write(repo, 'wrod', plugin(zod, from))
    expect(run('ao', ['config', 'trust', '--yes'], repo)).toMatchObject({ status: 0 })
    expect(run('ao', ['doctor', '--test-notify'], repo).stdout).toContain('wrod')
  })
})

describe('the suites for the author of a plugin', () => checkTesting(() => installed))
