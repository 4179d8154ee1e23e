// `ao pr …` says and does the same on every forge: the built command against servers that answer as theirs do.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runBeside } from '../support/ao-beside.ts'
import { type AoHome, createAoHome } from '../support/ao-home.ts'
import { git } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { newRepository as newForgejo } from './forgejo-world.ts'
import { createGitRemote, type GitRemote } from './git-remote.ts'
import { newRepository as newGithub } from './github-world.ts'
import { newProject as newGitlab } from './gitlab-world.ts'
import { type Forge, startForge } from './start-forge.ts'

interface Hosted {
  server: string
  env: NodeJS.ProcessEnv
  apiPath: string
  make(forge: Forge, bare: string): Promise<{ repo: string; api: string }>
  open(forge: Forge, api: string, branch: string): Promise<unknown>
}

const FORGES: Record<string, Hosted> = {
  github: {
    server: 'github-server.mjs',
    env: { GITHUB_TOKEN: 'token-acme' },
    apiPath: '',
    async make(forge, path) {
      const { repo } = await newGithub(forge)
      await forge.control({ op: 'bare', repo, path })
      return { repo: repo!, api: `/repos/${repo}` }
    },
    open: (forge, api, head) =>
      forge.api('POST', `${api}/pulls`, { title: 'Add two', head, base: 'main' }, 'token-maria'),
  },
  gitlab: {
    server: 'gitlab-server.mjs',
    env: { GITLAB_TOKEN: 'token-acme' },
    apiPath: '/api/v4',
    make: newGitlab,
    open: (forge, api, source_branch) =>
      forge.api(
        'POST',
        `${api}/merge_requests`,
        { title: 'Add two', source_branch, target_branch: 'main' },
        'token-maria',
      ),
  },
  forgejo: {
    server: 'forgejo-server.mjs',
    env: { FORGEJO_TOKEN: 'token-acme' },
    apiPath: '/api/v1',
    make: newForgejo,
    open: (forge, api, head) =>
      forge.api('POST', `${api}/pulls`, { title: 'Add two', head, base: 'main' }, 'token-maria'),
  },
}

describe.each(Object.entries(FORGES))('ao pr on %s', (name, hosted) => {
  let forge: Forge
  let ao: AoHome
  let people: TempHome
  let remote: GitRemote
  let head = ''

  /** A pull request of somebody else, with one commit that this machine does not have. */
  beforeAll(async () => {
    forge = await startForge(hosted.server)
    people = createTempHome()
    remote = createGitRemote(people.home, people.env)
    const { repo, api } = await hosted.make(forge, remote.bare)
    const plugin = `{ plugin: ${name}, apiUrl: "${forge.url}${hosted.apiPath}" }`
    ao = await createAoHome({ projectYaml: [`repo: ${repo}`, `tracker: ${plugin}`, `scm: ${plugin}`].join('\n') })
    git(ao.repo, ao.env, 'remote', 'add', 'origin', remote.bare)
    git(ao.repo, ao.env, 'fetch', '--quiet', 'origin')
    git(ao.repo, ao.env, 'reset', '--quiet', '--hard', 'origin/main')
    head = remote.push('feat/two', 'two.txt', 'one\ntwo\n')
    await hosted.open(forge, api, 'feat/two')
  }, 60_000)
  afterAll(async () => {
    await forge.stop()
    expect([...(await people.cleanup()), ...(await ao.cleanup())]).toEqual([])
  })

  const run = (...args: string[]) => runBeside(['pr', ...args], { env: { ...ao.env, ...hosted.env }, repo: ao.repo })
  const ok = (...args: string[]): string => {
    const { exitCode, stdout, stderr } = run(...args)
    if (exitCode !== 0) throw new Error(`ao pr ${args.join(' ')} exited with ${exitCode}\n${stdout}\n${stderr}`)
    return stdout
  }
  const json = <T>(...args: string[]): T => JSON.parse(ok(...args, '--json')) as T

  it('lists, shows and compares it, and reports its checks', () => {
    const { pullRequests } = json<{ pullRequests: unknown[] }>('ls')
    const expected = { number: 1, title: 'Add two', state: 'open', head: 'feat/two', base: 'main', author: 'maria' }
    expect(pullRequests).toMatchObject([{ ...expected, headSha: head }])
    expect(ok('ls')).toMatch(/#1\s+open/)
    for (const reference of ['1', '#1', 'feat/two'])
      expect(json('view', reference)).toMatchObject({ pullRequest: { ...expected, headSha: head } })
    expect(ok('diff', '1')).toContain('+two')
    expect(ok('diff', '1', '--name-only')).toBe('two.txt\n')
    expect(run('checks', '1').stderr).toContain('no checks')
    expect(run('checks', '1', '--run')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('cannot do this'),
    })
    expect(run('view', '4711').exitCode).not.toBe(0)
  })

  it('reviews the head that was shown, and refuses one that was pushed over since', () => {
    ok('view', '1')
    const seen = head
    head = remote.push('feat/two', 'two.txt', 'one\ntwo\nthree\n')
    const late = run('review', '1', '--approve')
    expect(late).toMatchObject({ exitCode: 5, stderr: expect.stringContaining(`you read ${seen.slice(0, 10)}`) })
    expect(run('review', '1', '--approve', '--head', seen.slice(0, 12)).exitCode).toBe(5)
    ok('diff', '1')
    const given = ['--request-changes', '--body', 'One thing', '--line', 'two.txt:2:Say zwei']
    expect(json('review', '1', ...given)).toMatchObject({
      number: 1,
      review: { state: 'changes_requested', author: 'acme', commit: head },
    })
    expect(run('merge', '1')).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('changes are requested') })
    expect(json('comment', '1', '--body', 'In general')).toMatchObject({
      comment: { author: 'acme', body: 'In general' },
    })
    const shown = ok('view', '1')
    for (const text of ['changes requested', 'Say zwei', 'In general']) expect(shown).toContain(text)
    expect(shown).not.toContain('<!--')
  })

  it('closes it, opens it again, and merges exactly the head that was read', () => {
    expect(json('close', '1')).toEqual({ number: 1, state: 'closed' })
    expect(json('ls')).toEqual({ pullRequests: [] })
    expect(json('reopen', '1')).toEqual({ number: 1, state: 'open' })
    expect(run('merge', '1', '--force', '--sha', 'f'.repeat(40)).stderr).toContain('as expected')
    expect(remote.readBase('two.txt')).toBeNull()
    expect(json('merge', '1', '--force')).toMatchObject({ number: 1, commit: remote.tip('main'), boarded: false })
    expect(remote.readBase('two.txt')).toBe('one\ntwo\nthree\n')
    expect(json('ls', '--all', '--limit', '1')).toMatchObject({ pullRequests: [{ state: 'merged' }] })
  })
})
