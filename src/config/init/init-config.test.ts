// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRepo, git } from '../../../test/support/git-repo.ts'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import { findExecutable } from '../../lib/find-executable.ts'
import type { DetectedPlugin } from '../../slots/registry.ts'
import { undoEdit } from '../edit/save-edit.ts'
import { findConfig } from '../find-config.ts'
import { loadConfig } from '../load-config.ts'
import { requireTrust } from '../trust/trust.ts'
import { type InitRequest, initConfig } from './init-config.ts'
import { writeFirstConfig } from './write-first-config.ts'

let temp: TempHome
let repo: string
beforeEach(() => {
  temp = createTempHome()
  repo = join(temp.home, 'my-app')
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const AGENTS: DetectedPlugin[] = [
  { name: 'claude-code', ok: false, detail: 'claude is not on PATH' },
  { name: 'codex', ok: true, detail: 'found /usr/bin/codex' },
  { name: 'generic', ok: true, detail: '' },
  { name: 'demo', ok: true, detail: 'ships with ao' },
]
const editFiles = () => ({ lock: join(temp.home, 'run', 'edit.lock'), kept: join(temp.home, 'run', 'kept') })
const init = (over: Partial<InitRequest> = {}) =>
  initConfig({ cwd: repo, env: temp.env, home: temp.home, now: new Date(0), agents: AGENTS, editFiles, ...over })
const load = (path: string) => loadConfig({ path, env: temp.env, home: temp.home })
const makeRepo = (path = repo) => createRepo(path, temp.env)

describe('initConfig', () => {
  it('writes a file that loads, is trusted, and says what it found and why', async () => {
    makeRepo()
    git(repo, temp.env, 'remote', 'add', 'origin', 'https://token@github.com/acme/my-app.git')
    writeFileSync(join(repo, 'package-lock.json'), '{}')
    mkdirSync(join(repo, 'src'))
    const result = await init({ cwd: join(repo, 'src') })
    expect(result).toMatchObject({
      path: join(repo, 'agent-orchestrator.yaml'),
      projectId: 'my-app',
      replaced: false,
      notes: [],
    })
    expect(result.choices.map(({ what, value, why }) => [what, value, why]).slice(0, 6)).toEqual([
      ['project', 'my-app', `the name of ${repo}`],
      ['sessions', 'ma-1, ma-2, …', 'a prefix made from the name'],
      ['repo', 'acme/my-app', 'the remote origin on github.com'],
      ['forge', 'github', 'GitHub on github.com'],
      ['branch', 'main', 'the current branch'],
      ['agent', 'codex', 'found /usr/bin/codex'],
    ])
    const bin = join(temp.home, 'bin')
    const runtimeWith = async (env: NodeJS.ProcessEnv) =>
      (await init({ force: true, env: { ...temp.env, AO_RUNTIME: undefined, ...env } })).choices.at(-1)
    expect(await runtimeWith({ AO_RUNTIME: 'process' })).toMatchObject({ value: 'process', why: 'AO_RUNTIME says so' })
    expect(await runtimeWith({ AO_RUNTIME: 'acp' })).toMatchObject({ value: 'acp', why: 'AO_RUNTIME says so' })
    mkdirSync(bin)
    symlinkSync(findExecutable('git', { env: temp.env })!, join(bin, 'git'))
    expect(await runtimeWith({ PATH: bin })).toMatchObject({ value: 'process', why: 'tmux is not installed' })
    writeFileSync(join(bin, 'tmux'), '', { mode: 0o755 })
    expect(await runtimeWith({ PATH: bin })).toMatchObject({ value: 'tmux', why: 'tmux is installed' })
    const config = load(result.path)
    expect(config.defaults.agent).toBe('codex')
    expect(config.projects['my-app']).toMatchObject({
      path: repo,
      repo: 'acme/my-app',
      defaultBranch: 'main',
      tracker: 'github',
      scm: 'github',
    })
    expect(() => requireTrust(config, { home: temp.home, env: temp.env })).not.toThrow()
    const text = readFileSync(result.path, 'utf8')
    expect(text).toContain('#   - npm ci')
    expect(text).not.toContain('token@')
    expect(statSync(result.path).mode & 0o777).toBe(0o644 & ~process.umask())
  })

  it('has comments that can be removed: the lines behind them load too', async () => {
    makeRepo()
    const { path } = await init()
    const opened = readFileSync(path, 'utf8').replace(/^(\s*)# (?=[a-zA-Z]+:| {2,}(?:-|permissions|Run))/gm, '$1')
    writeFileSync(path, opened)
    expect(load(path).projects['my-app']).toMatchObject({
      sessionPrefix: 'ma',
      agentConfig: { permissions: 'default' },
      postCreate: ['make setup'],
      agentRules: 'Run the tests before you say that you are done.\n',
    })
  })

  it('never overwrites without force, whatever the ending, and not through a link', async () => {
    makeRepo()
    for (const name of ['agent-orchestrator.yaml', 'agent-orchestrator.yml']) {
      const path = join(repo, name)
      writeFileSync(path, 'mine\n')
      await expect(init()).rejects.toMatchObject({ code: 'USAGE', hint: expect.stringContaining('ao init --force') })
      expect(readFileSync(path, 'utf8')).toBe('mine\n')
      expect(await init({ force: true })).toMatchObject({ path, replaced: true })
      expect(load(path).projects['my-app']?.id).toBe('my-app')
      rmSync(path)
    }
    symlinkSync(join(temp.home, 'precious'), join(repo, 'agent-orchestrator.yaml'))
    await expect(init()).rejects.toMatchObject({ code: 'USAGE' })
    writeFileSync(join(temp.home, 'precious'), 'precious\n')
    await init({ force: true })
    expect(readFileSync(join(temp.home, 'precious'), 'utf8')).toBe('precious\n')
  })

  it('in a linked worktree it is the file of the main checkout: found, refused, and replaced only with a way back', async () => {
    makeRepo()
    const { path } = await init()
    const edited = `${readFileSync(path, 'utf8')}# my own line\n`
    writeFileSync(path, edited)
    const side = join(temp.home, 'side')
    git(repo, temp.env, 'worktree', 'add', '--quiet', side)
    mkdirSync(join(side, 'sub'))
    const find = (cwd: string) => findConfig({ cwd, env: temp.env, home: temp.home }).path
    expect([find(side), find(join(side, 'sub'))]).toEqual([path, path])
    await expect(init({ cwd: side })).rejects.toMatchObject({ code: 'USAGE', message: `${path} already exists` })
    const { notes } = await init({ cwd: side, force: true })
    expect(notes[0]).toContain(`It is the file of the main checkout, because ${side} is a worktree of it.`)
    expect(notes[0]).toContain('ao config undo')
    expect(readFileSync(path, 'utf8')).not.toContain('my own line')
    await undoEdit({ configPath: path, ...editFiles() })
    expect(readFileSync(path, 'utf8')).toBe(edited)
  })

  it('a linked worktree with a copy of the file is no second world; without one in the main checkout it is the only one', async () => {
    makeRepo()
    const side = join(temp.home, 'side')
    git(repo, temp.env, 'worktree', 'add', '--quiet', side)
    const copy = join(side, 'agent-orchestrator.yaml')
    writeFileSync(copy, 'projects: {}\n')
    const find = () => findConfig({ cwd: side, env: temp.env, home: temp.home }).path
    expect(find()).toBe(copy)
    const { path } = await init()
    expect(find()).toBe(path)
  })

  it('a .git file that no repository knows leads nowhere', async () => {
    makeRepo()
    const { path } = await init()
    const stray = join(temp.home, 'elsewhere', 'stray')
    const gitDir = join(temp.home, 'elsewhere', 'data')
    mkdirSync(stray, { recursive: true })
    mkdirSync(gitDir)
    writeFileSync(join(stray, '.git'), `gitdir: ${gitDir}\n`)
    writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(gitDir, 'commondir'), `${join(repo, '.git')}\n`)
    expect(() => findConfig({ cwd: stray, env: temp.env, home: temp.home })).toThrow(
      'There is no agent-orchestrator.yaml',
    )
    expect(load(path).configPath).toBe(path)
  })

  it('creates one file when two run at once', async () => {
    makeRepo()
    const results = await Promise.allSettled([init(), init()])
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('says of a bare repository what it is, and how to get a checkout', async () => {
    git(temp.home, temp.env, 'init', '--quiet', '--bare', repo)
    await expect(init()).rejects.toMatchObject({
      message: expect.stringContaining('is a bare repository'),
      hint: expect.stringContaining('git worktree add'),
    })
  })

  it('needs a repository', async () => {
    mkdirSync(repo)
    await expect(init()).rejects.toMatchObject({ code: 'USAGE', hint: 'Create one with: git init' })
  })

  it('uses the branch that the remote calls its head', async () => {
    makeRepo()
    git(repo, temp.env, 'update-ref', 'refs/remotes/origin/trunk', 'HEAD')
    git(repo, temp.env, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk')
    git(repo, temp.env, 'remote', 'add', 'origin', '/srv/git/app.git')
    git(repo, temp.env, 'checkout', '--quiet', '-b', 'feature')
    const { path, choices } = await init()
    expect(load(path).projects['my-app']?.defaultBranch).toBe('trunk')
    expect(choices.find(({ what }) => what === 'repo')).toBeUndefined()
  })

  it.each([
    ['git@github.com:acme/app.git', 'github'],
    ['ssh://git@ssh.github.com:443/acme/app.git', 'github'],
    ['https://acme.ghe.com/acme/app.git', 'github'],
    ['https://gitlab.corp.example/grp/app.git', 'gitlab'],
    ['https://codeberg.org/acme/app.git', 'forgejo'],
  ])('takes %s for %s, and leaves the host to the remote', async (url, forge) => {
    makeRepo()
    git(repo, temp.env, 'remote', 'add', 'origin', url)
    const { path, notes } = await init()
    expect(load(path).projects['my-app']).toMatchObject({ tracker: forge, scm: forge })
    expect(notes).toEqual([])
  })

  it.each([
    ['https://git.corp.example/acme/app.git', 'Nothing says which forge runs on git.corp.example (the remote origin)'],
    ['git@bitbucket.org:acme/app.git', 'The remote origin is on Bitbucket, which ao has no plugin for'],
    ['/srv/git/app.git', 'The remote origin is a path on this machine'],
  ])('says that %s is no forge that it knows, and offers the local one', async (url, output) => {
    makeRepo()
    git(repo, temp.env, 'remote', 'add', 'origin', url)
    const { path, notes } = await init()
    expect(notes).toEqual([expect.stringContaining(output)])
    expect(notes[0]).toContain('ao init --force --forge local')
    expect(load(path).projects['my-app']).not.toHaveProperty('scm')
    await init({ force: true, forge: 'local' })
    expect(load(path).projects['my-app']).toMatchObject({ tracker: 'local', scm: 'local' })
    await expect(init({ force: true, forge: 'svn' })).rejects.toMatchObject({ code: 'USAGE' })
  })

  it('asks ssh what an alias resolves to', async () => {
    makeRepo()
    git(repo, temp.env, 'remote', 'add', 'origin', 'git@github-work:acme/app.git')
    const bin = join(temp.home, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'ssh'), '#!/bin/sh\n[ "$*" = "-G -- github-work" ] && echo "hostname github.com"\n', {
      mode: 0o755,
    })
    const { path } = await init({ env: { ...temp.env, PATH: `${bin}:${temp.env.PATH}` } })
    expect(load(path).projects['my-app']).toMatchObject({ repo: 'acme/app', tracker: 'github', scm: 'github' })
  })

  it('does not take a feature branch for the default while there is a usual one, and takes it otherwise', async () => {
    makeRepo()
    git(repo, temp.env, 'checkout', '--quiet', '-b', 'feature')
    expect(load((await init()).path).projects['my-app']?.defaultBranch).toBe('main')
    git(repo, temp.env, 'branch', '--quiet', '-D', 'main')
    expect(load((await init({ force: true })).path).projects['my-app']?.defaultBranch).toBe('feature')
  })

  it('works before the first commit and says what is missing', async () => {
    mkdirSync(repo)
    git(repo, temp.env, 'init', '--quiet', '--initial-branch=trunk')
    const { path, notes } = await init({ agents: [] })
    expect(load(path)).toMatchObject({
      defaults: { agent: 'demo' },
      projects: { 'my-app': { defaultBranch: 'trunk' } },
    })
    expect(notes).toEqual([expect.stringContaining('first commit'), expect.stringContaining('demo agent')])
  })

  it('goes to the main checkout from one of its worktrees', async () => {
    makeRepo()
    git(repo, temp.env, 'worktree', 'add', '--quiet', join(temp.home, 'side'))
    expect((await init({ cwd: join(temp.home, 'side') })).path).toBe(join(repo, 'agent-orchestrator.yaml'))
  })

  it('runs no code of the repository', async () => {
    makeRepo()
    const canary = join(temp.home, 'canary')
    writeFileSync(join(repo, 'evil.sh'), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 })
    git(repo, temp.env, 'config', 'core.fsmonitor', join(repo, 'evil.sh'))
    git(repo, temp.env, 'config', 'core.hooksPath', repo)
    await init()
    expect(() => statSync(canary)).toThrow('ENOENT')
  })

  it.each([
    ['my app (2)', 'my-app-2'],
    ['.dotfiles', 'dotfiles'],
    ['äöü', 'project'],
    ['123', '123'],
    ['-x', 'x'],
  ])('makes the directory name %s a safe id', async (name, id) => {
    const path = makeRepo(join(temp.home, name))
    expect((await init({ cwd: path })).projectId).toBe(id)
  })
})

describe('writeFirstConfig', () => {
  it('gives back every name it was given, however odd', () => {
    const path = join(temp.home, 'agent-orchestrator.yaml')
    const odd = fc.oneof(
      fc.constantFrom(
        '1.0',
        'on',
        'no',
        'null',
        '2024-01-01',
        'a: b',
        '#x',
        '${HOME}',
        '$${x}',
        '- a',
        "it's",
        '"q"',
        '*a',
        '&a',
      ),
      fc.string({ minLength: 1 }),
    )
    fc.assert(
      fc.property(odd, odd, odd, (branch, agent, why) => {
        const project = {
          root: temp.home,
          id: 'app',
          remote: {
            name: 'origin',
            host: 'example.com',
            origin: 'https://example.com',
            repo: 'a/b',
            forge: null,
            otherProduct: null,
          },
          checkout: temp.home,
          pathRemote: null,
          defaultBranch: branch,
          defaultBranchWhy: why,
          hasCommits: true,
          setupCommand: null,
          hasSubmodules: false,
          foreign: null,
        }
        writeFileSync(path, writeFirstConfig({ project, agent, agentWhy: why, forge: null }))
        const config = load(path)
        expect(config.projects.app?.defaultBranch).toBe(branch)
        expect(config.defaults.agent).toBe(agent)
      }),
    )
  })
})
