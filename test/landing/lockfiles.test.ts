// Rules for lockfiles with a stand-in for each package manager, no network, and output that no package manager should make.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AoError } from '../../src/contract/errors.ts'
import { resolveRules } from '../../src/core/landing/resolve/rules.ts'
import { makeMergeCommit } from '../../src/landing/make-merge-commit.ts'
import { createResolver } from '../../src/landing/resolve/resolver.ts'
import { createForgeWorld, type ForgeWorld } from '../contract/local-forge-world.ts'

const TOOL = join(import.meta.dirname, '../fixtures/lock-tool.sh')

/** Directory, manifest, lockfile, what is called. */
const TOOLS = [
  ['npm', 'package.json', 'package-lock.json', 'npm install --package-lock-only --ignore-scripts --no-audit --no-fund'],
  [
    'old',
    'package.json',
    'npm-shrinkwrap.json',
    'npm install --package-lock-only --ignore-scripts --no-audit --no-fund',
  ],
  ['pnpm', 'package.json', 'pnpm-lock.yaml', 'pnpm install --lockfile-only --no-frozen-lockfile --ignore-scripts'],
  ['yarn', 'package.json', 'yarn.lock', 'yarn install --ignore-scripts --non-interactive'],
  ['berry', 'package.json', 'yarn.lock', 'yarn install --mode=update-lockfile'],
  ['cargo', 'Cargo.toml', 'Cargo.lock', 'cargo update --workspace'],
  ['go', 'go.mod', 'go.sum', 'go mod tidy'],
  ['poetry', 'pyproject.toml', 'poetry.lock', 'poetry lock'],
  ['poetry-1', 'pyproject.toml', 'poetry.lock', 'poetry lock --no-update'],
  ['uv', 'pyproject.toml', 'uv.lock', 'uv lock'],
  ['bundler', 'Gemfile', 'Gemfile.lock', 'bundle lock'],
  [
    ...['composer', 'composer.json', 'composer.lock'],
    'composer update --minimal-changes --no-install --no-scripts --no-plugins',
  ],
] as const satisfies ReadonlyArray<readonly string[]>

describe('lockfiles in conflict are made again by their own tool', () => {
  let world: ForgeWorld
  beforeAll(() => {
    world = createForgeWorld({ files: { 'LOG.md': '# Log\n', 'src.txt': 'src\n' } })
    const bin = mkdtempSync(join(world.temp.home, 'bin-'))
    for (const tool of ['npm', 'pnpm', 'yarn', 'cargo', 'go', 'poetry', 'uv', 'bundle', 'composer'])
      symlinkSync(TOOL, join(bin, tool))
    world.temp.env.PATH = `${bin}:${world.temp.env.PATH}`
  })
  afterAll(() => world.cleanup())

  const commit = (branch: string, from: string, files: Record<string, string>) => {
    world.git('switch', '--quiet', '-C', branch, from)
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(world.repo, path)), { recursive: true })
      writeFileSync(join(world.repo, path), text)
    }
    world.git('add', '--all')
    world.git('commit', '--quiet', '--message', branch)
    return world.git('rev-parse', 'HEAD')
  }
  /** All files of the merged tree; otherwise why the agent is asked. */
  const merge = async (base: string, head: string): Promise<Record<string, string> | string> => {
    const { env, home } = world.temp
    const signal = new AbortController().signal
    const host = { project: {}, env, directory: join(home, 'landing'), requireTrust: () => undefined, signal }
    const resolver = createResolver(resolveRules([{ kind: 'lockfiles' }]), host)!
    const pull = { number: 1, title: 't', body: '', head: 'feat', base: 'main' }
    const request = { pull, head, base, method: 'squash', steady: true } as const
    try {
      const made = await makeMergeCommit(world.forge.repository(), {
        ...request,
        resolve: (vault, pair) => resolver.resolve(vault, pair, async () => null),
      })
      const names = world.git('ls-tree', '-r', '--name-only', made).split('\n')
      return Object.fromEntries(names.map((name) => [name, world.git('show', `${made}:${name}`)]))
    } catch (error) {
      if (!(error instanceof AoError) || error.code !== 'PR_NOT_MERGEABLE') throw error
      return String((error.details as { why?: string }).why)
    }
  }
  const both = (tools: typeof TOOLS | readonly (typeof TOOLS)[number][]) => {
    const files = (manifest: string, lock: string) =>
      Object.fromEntries(
        tools.flatMap(([at, one, other]) => [
          [`${at}/${one}`, manifest],
          [`${at}/${other}`, lock],
        ]),
      )
    const start = { 'berry/.yarnrc.yml': '', 'poetry-1/old-poetry': '' }
    const from = commit('start', 'main', { ...start, ...files('start\n\n\n\n\n', 'locked\n') })
    const ours = commit('ours', from, files('ours\nstart\n\n\n\n\n', 'locked\nours\n'))
    const theirs = commit('theirs', from, files('start\n\n\n\n\ntheirs\n', 'locked\ntheirs\n'))
    return [ours, theirs] as const
  }

  it('each from the base branch’s lockfile and the manifest of both, in its own directory, and nothing else is taken', async () => {
    const merged = await merge(...both(TOOLS))
    const expected = TOOLS.flatMap(([at, manifest, lock]) => [
      [`${at}/${manifest}`, 'ours\nstart\n\n\n\n\ntheirs'],
      [`${at}/${lock}`, 'locked\nours\nours\nstart\n\n\n\n\ntheirs'],
    ])
    const rest = { 'LOG.md': '# Log', 'src.txt': 'src', 'berry/.yarnrc.yml': '', 'poetry-1/old-poetry': '' }
    expect(merged).toEqual({ ...Object.fromEntries(expected), ...rest })
    const calls = readFileSync(join(world.temp.home, 'calls'), 'utf8').trim().split('\n')
    expect(calls.filter((call) => !call.includes('--help')).sort()).toEqual(TOOLS.map(([, , , call]) => call).sort())
  })

  it('and one that fails, or makes anything but a file of sensible size, leaves the conflict to the agent', async () => {
    const [ours, theirs] = both(TOOLS.slice(9, 10))
    const results: Array<Record<string, string> | string> = []
    for (const mode of ['fails', 'removes', 'link', 'directory', 'huge', 'elsewhere', 'nothing']) {
      writeFileSync(join(world.temp.home, 'mode'), mode)
      results.push(await merge(ours, theirs))
      // What was made is remembered.
      rmSync(join(world.temp.home, 'landing', 'regenerated.json'), { force: true })
    }
    const merged = (lock: string) => ({
      ...{ 'LOG.md': '# Log', 'src.txt': 'src', 'berry/.yarnrc.yml': '', 'poetry-1/old-poetry': '' },
      ...{ 'uv/pyproject.toml': 'ours\nstart\n\n\n\n\ntheirs', 'uv/uv.lock': lock },
    })
    expect(results).toEqual([
      'uv lock exited with 7',
      'uv/uv.lock was not made',
      'uv/uv.lock is no longer a plain file',
      'uv/uv.lock was not made',
      'more than 67108864 bytes were made',
      merged('locked\nours\nours\nstart\n\n\n\n\ntheirs\nevil'),
      // Whether the base branch's lockfile fits is for the checks to say.
      merged('locked\nours'),
    ])
  })
})
