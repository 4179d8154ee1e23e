// What needs the user's word besides commands and addresses: what ao does without a person, what `ao init` copied from a
// repository, options for plugins of the user's own. And no word is taken for a file that is not valid.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/ao/commands.ts'
import { run } from '../../src/cli/run.ts'
import { createFakeIo } from '../support/fake-io.ts'
import { createRepo, git } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

let temp: TempHome
let repo: string
beforeEach(() => {
  temp = createTempHome()
  repo = createRepo(join(temp.home, 'app'), temp.env)
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

async function ao(...argv: string[]) {
  const fake = createFakeIo({ env: temp.env, home: temp.home, cwd: repo })
  const code = await run(COMMANDS, argv, fake.io)
  return { code, text: fake.stdout() + fake.stderr() }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
const configure = (project: string, top = '') =>
  write(join(repo, 'agent-orchestrator.yaml'), `port: 0\n${top}\nprojects:\n  app:\n    path: .\n    ${project}\n`)

const ALONE: Record<string, [project: string, top?: string]> = {
  'a backlog': ['backlog: { label: ready, maxSessions: 2 }'],
  'a schedule': ["schedules: { nightly: { when: '0 3 * * *', prompt: tidy } }"],
  'work on top of unfinished work': ['speculate: true'],
  'merges by a reaction': ['reactions: { approved-and-green: { auto: true } }'],
  'merges by a reaction for all': ['agent: demo', 'reactions: { approved-and-green: { auto: true } }'],
  'another reaction that merges': ['reactions: { all-complete: { action: auto-merge } }'],
  'restarts of agents': ['reactions: { agent-stuck: { action: restart-agent } }'],
  'a train': ['landing: { mode: train }'],
  'reverting pull requests': ['landing: { watch: revert }'],
  'signatures with the user’s key': ['landing: { sign: true }'],
  'pushed proofs': ['landing: { pushProof: true }'],
}

describe('what ao start does without a person', () => {
  it.each(Object.entries(ALONE))('%s: needs consent', async (_what, [project, top]) => {
    configure(project, top)
    const refused = await ao('start')
    expect(refused).toMatchObject({ code: 2, text: expect.stringContaining('by itself') })
    expect(refused.text).toContain('ao config trust')
    expect((await ao('config', 'trust', '--yes')).text).toMatch(/^trusted (?:project app|every project) .* by itself/)
    expect((await ao('config', 'validate')).text).not.toContain('not trusted yet')
  })

  it.each([
    [
      'notifications',
      'reactions: { agent-stuck: { action: notify, retries: 1 }, approved-and-green: { auto: false } }',
    ],
    ['landing by hand', 'landing: { mode: off, batch: 2, method: squash, watch: notify, sign: false }'],
  ])('%s: needs none', async (_what, project) => {
    configure(project)
    expect((await ao('config', 'trust')).text).toContain('asks for nothing that you have not agreed to')
  })

  it('is asked for again when the file changes what it does', async () => {
    configure('backlog: { label: ready, maxSessions: 2 }')
    await ao('config', 'trust', '--yes')
    configure('backlog: { label: ready, maxSessions: 50 }')
    expect((await ao('config', 'validate')).text).toContain('"maxSessions":50')
  })
})

describe('the repository on the forge', () => {
  const REPO = 'repo: acme/private\n    tracker: github\n    scm: github'
  const remote = (url: string) => git(repo, temp.env, 'remote', 'add', 'origin', url)

  it.each([
    ['https://github.com/evil/app'],
    ['https://gitlab.com/acme/private'],
    ['https://bitbucket.org/acme/private'],
    ['/srv/git/acme/private.git'],
  ])('needs consent where the checkout comes from %s: a token would be used on another one', async (url) => {
    remote(url)
    configure(REPO)
    for (const line of [['spawn', '--prompt', 'x'], ['start'], ['pr', 'ls'], ['issue', 'ls']]) {
      const refused = await ao(...line)
      expect(refused).toMatchObject({ code: 2, text: expect.stringContaining('uses your token of the forge') })
      expect(refused.text).toContain('acme/private')
    }
    expect((await ao('config', 'trust', '--yes')).code).toBe(0)
    expect((await ao('config', 'validate')).text).not.toContain('not trusted yet')
    configure(REPO.replace('private', 'other'))
    expect((await ao('config', 'validate')).text).toContain('acme/other')
  })

  it.each([
    ['the checkout was cloned from it', 'git@github.com:Acme/Private.git', REPO],
    ['ssh knows it by another name', 'work:acme/private', REPO],
    [
      'pull requests are kept by ao',
      'https://github.com/evil/app',
      'repo: acme/private\n    tracker: local\n    scm: local',
    ],
  ])('needs none where %s', async (_why, url, yaml) => {
    remote(url)
    configure(yaml)
    expect((await ao('config', 'trust')).text).toContain('asks for nothing that you have not agreed to')
  })
})

describe('ao init', () => {
  it('does not agree to commands that it copies from a file of the repository', async () => {
    write(join(repo, 'conductor.json'), '{"scripts":{"setup":"touch canary","archive":"touch canary"}}')
    expect((await ao('init', '--agent', 'demo')).code).toBe(0)
    expect(readFileSync(join(repo, 'agent-orchestrator.yaml'), 'utf8')).toContain('touch canary')
    const refused = await ao('spawn', '--prompt', 'x')
    expect(refused).toMatchObject({ code: 2, text: expect.stringContaining('touch canary') })
  })
})

describe('a plugin that the user has installed', () => {
  const plugin = () => join(temp.home, '.ao', 'plugins', 'node_modules', 'ao-mine')
  const mark = () => join(temp.home, 'options')
  beforeEach(() => {
    write(join(plugin(), 'package.json'), '{"name":"ao-mine","type":"module","exports":"./index.js"}')
    write(
      join(plugin(), 'index.js'),
      `import { writeFileSync } from 'node:fs'
      export const plugin = { manifest: { slot: 'terminal', name: 'mine', description: 'x', version: '1' },
        create: (options) => { writeFileSync(${JSON.stringify(mark())}, JSON.stringify(options)); return { name: 'mine' } } }`,
    )
  })

  it('is loaded without a question, but not with options of a repository', async () => {
    configure('terminal: mine', 'plugins: { external: [{ package: ao-mine }] }')
    expect((await ao('plugin', 'ls')).text).toMatch(/terminal +mine +ao-mine/)
    configure('terminal: mine', 'plugins: { external: [{ package: ao-mine, config: { run: evil } }] }')
    expect((await ao('plugin', 'ls')).text).toContain('you have not trusted it yet')
    await ao('open', 'all')
    expect(existsSync(mark())).toBe(false)
    expect((await ao('config', 'trust')).text).toContain('which you have installed, with the options {"run":"evil"}')
    expect((await ao('config', 'trust', '--yes')).code).toBe(0)
    expect((await ao('plugin', 'ls')).text).not.toContain('you have not trusted it yet')
    configure('terminal: mine', 'plugins: { external: [{ package: ao-mine, config: { run: worse } }] }')
    expect((await ao('plugin', 'ls')).text).toContain('you have not trusted it yet')
  })
})

describe('ao config trust', () => {
  const INVALID: Array<[yaml: string, message: string]> = [
    [
      'scm: { plugin: local, ci: [npm test] }',
      'projects.app.scm.ci: must be an object, for example { commands: [...] }',
    ],
    ['runtime: docker', 'projects.app.runtime: docker needs options (image is missing'],
    ['runtime: dokcer', 'there is no runtime plugin dokcer'],
  ]
  it.each(INVALID)('agrees to nothing in a file that is not valid: %s', async (yaml, message) => {
    configure(`${yaml}\n    postCreate: [touch canary]`)
    for (const line of [
      ['config', 'validate'],
      ['config', 'trust', '--yes'],
    ]) {
      const refused = await ao(...line)
      expect(refused.code).toBe(2)
      expect(refused.text).toContain(message)
    }
    expect(existsSync(join(temp.home, '.ao', 'trust.json'))).toBe(false)
    expect((await ao('config', 'trust', '--revoke')).code).toBe(0)
  })

  it('checks the options of places too', async () => {
    configure('place: far', 'places: { far: { type: docker, imagine: x } }')
    expect((await ao('config', 'validate')).text).toMatch(/places\.far.*(?:image|no option imagine)/)
  })
})
