import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AoError } from '../../src/contract/errors.ts'
import { type ResolveEntry, type ResolveRule, resolveRules } from '../../src/core/landing/resolve/rules.ts'
import { makeMergeCommit } from '../../src/landing/make-merge-commit.ts'
import { createResolver } from '../../src/landing/resolve/resolver.ts'
import { createForgeWorld, type ForgeWorld } from '../contract/local-forge-world.ts'
import { collide, RULES } from './colliding-agents.ts'

describe('conflicts that need no mind', () => {
  it('six agents that each add a migration, a dependency, a changelog line and a function land without a message', async () => {
    const { landed, conflicts, numbers, broken, rules } = await collide(6, RULES)
    expect([landed, conflicts, numbers, broken]).toEqual([6, 0, [1, 2, 3, 4, 5, 6, 7], []])
    // The proof says which rules ran; the first one needed none.
    expect(rules[0]).toEqual([])
    expect(rules[1]).toEqual([
      'db/0002_agent2.sql became db/0003_agent2.sql',
      'CHANGELOG.md has the lines of both',
      'db/order.txt has the lines of both',
      'package.json has the lines of both',
      'routes.mjs has the additions of both',
      'deps.lock was made again with: node lock.mjs',
    ])
  })

  it('the same without rules: all but the first conflict', async () => {
    const { landed, conflicts } = await collide(2, [])
    expect([landed, conflicts]).toEqual([1, 1])
  })
})

describe('a merge by rules', () => {
  let world: ForgeWorld
  beforeEach(() => {
    world = createForgeWorld({ files: { 'LOG.md': '# Log\n', 'a.lock': 'start\n', 'src.txt': 'src\n' } })
  })
  afterEach(() => world.cleanup())

  const rulesOf = (...entries: ResolveEntry[]) => resolveRules(entries)
  const lock = (run: string): ResolveEntry => ({ kind: 'regenerate', paths: ['a.lock'], run })
  /** The files that come out of merging the branch into main; otherwise the reason that its agent hears. */
  const merge = async (
    rules: ResolveRule[],
    requireTrust = () => undefined,
  ): Promise<Record<string, string> | string> => {
    const directory = join(world.temp.home, 'landing')
    const host = { project: {}, env: world.temp.env, directory, requireTrust, signal: new AbortController().signal }
    const resolver = createResolver(rules, host)!
    const [base, head] = ['main', 'feat'].map((ref) => world.git('rev-parse', ref)) as [string, string]
    const pull = { number: 1, title: 't', body: '', head: 'feat', base: 'main' }
    try {
      const request = { pull, head, base, method: 'squash', steady: true } as const
      const commit = await makeMergeCommit(world.forge.repository(), {
        ...request,
        resolve: (vault, pair) => resolver.resolve(vault, pair, async () => null),
      })
      const names = world.git('ls-tree', '-r', '--name-only', '-z', commit).split('\0').filter(Boolean)
      return Object.fromEntries(names.map((name) => [name, world.git('show', `${commit}:${name}`)]))
    } catch (error) {
      if (!(error instanceof AoError) || error.code !== 'PR_NOT_MERGEABLE') throw error
      return String((error.details as { why?: string }).why)
    }
  }
  const both = async (file: string, ours: string, theirs: string) => {
    await world.push('feat', file, theirs)
    await world.pushToBase(file, ours)
  }

  it('makes a file again from the rest, once for each tree, and takes nothing else that the command did', async () => {
    await both('a.lock', 'ours\n', 'https://elsewhere.example\n')
    const count = join(world.temp.home, 'count')
    const run = `cat src.txt a.lock > b && mv b a.lock && echo changed > src.txt && touch more && echo x >> '${count}'`
    const expected = { 'LOG.md': '# Log', 'a.lock': 'src\nours', 'src.txt': 'src' }
    expect(await merge(rulesOf(lock(run)))).toEqual(expected)
    expect(await merge(rulesOf(lock(run)))).toEqual(expected)
    expect(readFileSync(count, 'utf8')).toBe('x\n')
  })

  it('takes what a command adds, changes and removes below the covered paths', async () => {
    for (const name of ['old', 'same']) await world.pushToBase(`gen/${name}`, `${name}\n`)
    await both('gen/a', 'ours\n', 'theirs\n')
    const run = 'rm gen/old && cp gen/a gen/new && echo made > gen/a'
    const merged = await merge(rulesOf({ kind: 'regenerate', paths: ['gen/'], run }))
    expect(merged).toMatchObject({ 'gen/a': 'made', 'gen/new': 'ours', 'gen/same': 'same' })
    expect(Object.keys(merged)).not.toContain('gen/old')
  })

  it('says why a command did not help: it failed, took too long, left a link or nothing, or nobody agreed to it', async () => {
    await both('a.lock', 'ours\n', 'theirs\n')
    const secret = join(world.temp.home, 'secret')
    expect(await merge(rulesOf(lock('exit 3')))).toBe('exit 3 exited with 3')
    expect(await merge(rulesOf({ ...lock('sleep 60'), timeout: 0.2 }))).toContain('did not finish in 0.2 s')
    expect(await merge(rulesOf(lock(`ln -sf '${secret}' a.lock`)))).toContain('a.lock is no longer a plain file')
    expect(await merge(rulesOf(lock('rm a.lock')))).toContain('a.lock was not made')
    const refuse = () => {
      throw new AoError('CONFIG_UNTRUSTED', 'nobody agreed')
    }
    const mark = join(world.temp.home, 'ran')
    expect(await merge(rulesOf(lock(`touch '${mark}'`)), refuse)).toBe('nobody agreed')
    expect(existsSync(mark)).toBe(false)
  })

  it('runs in directories of any name, and leaves links and binary or huge files to somebody', async () => {
    const odd = '$(touch pwned)\n; x'
    await both(`${odd}/x.lock`, 'ours\n', 'theirs\n')
    const covers = (path: string) => path.endsWith('.lock')
    const rule: ResolveRule = {
      kind: 'regenerate',
      covers,
      run: 'echo made > x.lock',
      timeoutMs: 5_000,
      isOneFile: true,
    }
    const merged = (await merge([rule])) as Record<string, string>
    expect([merged[`${odd}/x.lock`], merged.pwned]).toEqual(['made', undefined])
    const union = rulesOf({ kind: 'union', paths: ['LOG.md'] })
    for (const [ours, theirs] of [
      ['# Log\n\0ours\n', '# Log\n\0theirs\n'],
      [`# Log\nours${'x'.repeat(1024 * 1024)}\n`, '# Log\ntheirs\n'],
    ] as const) {
      await both('LOG.md', ours, theirs)
      expect(await merge([...union, rule])).toBe('LOG.md: it is more than lines that both sides added')
    }
  })

  it('puts blocks of both behind each other in source files, and leaves rewritten lines and new files to somebody', async () => {
    const rules = rulesOf({ kind: 'additions', paths: ['*.txt'] })
    await both('src.txt', 'src\nfunction ours() {\n  return 1\n}\n', 'src\nfunction theirs() {\n  return 1\n}\n')
    expect(await merge(rules)).toMatchObject({
      'src.txt': 'src\nfunction ours() {\n  return 1\n}\nfunction theirs() {\n  return 1\n}',
    })
    await both('new.txt', 'ours\n', 'theirs\n')
    expect(await merge(rules)).toBe('new.txt: both sides added it')
    await both('new.txt', 'same\n', 'same\n')
    await both('src.txt', 'ours\n', 'theirs\n')
    expect(await merge(rules)).toBe('src.txt: one side changed what is beside the work of the other')
    await both('src.txt', 'src\n\0ours\n', 'src\n\0theirs\n')
    expect(await merge(rules)).toBe('src.txt: one side changed what is beside the work of the other')
  })

  it('renumbers what is new in the change and its names there, also where both sides took the same name', async () => {
    await world.pushToBase('db/0001_start.sql', 'start\n')
    await both('db/0002_add.sql', 'ours\n', 'theirs, 0002_add\n')
    await world.push('feat', 'db/99999999999999999999_x.sql', 'no number\n')
    await world.pushToBase('LOG.md', '# Log\nours: 0002_add\n')
    await world.push('feat', 'LOG.md', '# Log\ntheirs: db/0002_add.sql\n')
    await world.push('feat', 'db/0009_gap.sql', 'gap\n')
    const rules = rulesOf(
      { kind: 'sequence', name: 'm', files: 'db/####_*.sql' },
      { kind: 'union', paths: ['LOG.md', 'db/'] },
    )
    expect(await merge(rules)).toEqual({
      'LOG.md': '# Log\nours: 0002_add\ntheirs: db/0003_add.sql',
      'a.lock': 'start',
      'db/0001_start.sql': 'start',
      'db/0002_add.sql': 'ours',
      'db/0003_add.sql': 'theirs, 0003_add',
      'db/0009_gap.sql': 'gap',
      'db/99999999999999999999_x.sql': 'no number',
      'src.txt': 'src',
    })
  })
})
