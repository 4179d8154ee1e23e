// From an issue to a merged pull request with nothing but git: the local tracker, the local forge, and gh as agents know it.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parsePairs } from '../../src/core/text/key-value.ts'
import { runBeside } from '../support/ao-beside.ts'
import { type AoHome, createAoHome, type RunResult } from '../support/ao-home.ts'
import { git } from '../support/git-repo.ts'
import { buildAo } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const YAML = `agent: demo
agentConfig: { permissions: skip }
scm:
  plugin: local
  ci: { commands: [{ name: unit, run: "test ! -e answer.txt || grep -q good answer.txt" }] }`

const ISSUE = `Write down the answer.

\`\`\`demo
write answer.txt bad
commit Add the answer
pr Add the answer
finish I am done.
on ci-failed:
write answer.txt good
commit Correct the answer
finish I corrected it.
\`\`\`
`

interface ListedPull {
  number: number
  url: string
  state: string
  session: string | null
  headSha: string
  ci: string
}

let ao: AoHome
beforeAll(buildAo)
afterEach(async () => {
  expect(await ao.cleanup()).toEqual([])
})

/** Of every process there is. */
function environments(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/environ`, 'utf8')] : []
    } catch {
      return []
    }
  })
}

const record = (id: string) => parsePairs(readFileSync(ao.sessionFile(id), 'utf8')).pairs
const pulls = () => (JSON.parse(ao.ok(['pr', 'ls', '--all', '--json'])) as { pullRequests: ListedPull[] }).pullRequests

describe('an issue on its way to main without any server', () => {
  beforeEach(async () => {
    ao = await createAoHome({ projectYaml: YAML })
  })

  it('S0.14 S0.15 S0.20 S0.29 S1.74 S2.17 S2.30 is taken up, fails CI, is corrected, reviewed and merged', async () => {
    ao.ok(['issue', 'new', 'Add the answer', '--body-file', '-', '--label', 'demo'], ISSUE)
    const { session } = JSON.parse(ao.ok(['spawn', '1', '--json'])) as { session: { id: string; branch: string } }
    expect(session.branch).toBe('feat/issue-1')

    const opened = await waitFor('the pull request', () => pulls()[0])
    expect(opened).toMatchObject({ number: 2, state: 'open', session: session.id, ci: 'pending' })
    await waitFor('its note', () => record(session.id).pr)
    expect(record(session.id)).toMatchObject({ pr: opened.url, status: 'pr_open' })
    expect(opened.url).toMatch(/^http:\/\/localhost:\d+\/projects\/app\/pull\/2$/)

    const failed = ao.run(['pr', 'checks', '2', '--run', '--json'])
    expect(failed.exitCode).toBe(1)
    expect(JSON.parse(failed.stdout)).toMatchObject({ ci: 'failing', failingOnBase: [] })
    expect(ao.ok(['pr', 'checks', '2', '--log', 'unit'])).toContain('unit exited with 1')
    expect(ao.run(['pr', 'merge', '2']).exitCode).toBe(5)

    ao.ok(['send', session.id, 'CI failed: the check unit fails'])
    await waitFor('the correction', () => pulls()[0]?.headSha !== opened.headSha)
    await waitFor('passing checks', () => ao.run(['pr', 'checks', '2', '--run']).exitCode === 0)

    ao.ok(['pr', 'review', '2', '--request-changes', '-b', 'Almost', '--line', 'answer.txt:1:Sure?'])
    expect(ao.ok(['pr', 'view', '2'])).toContain('changes requested')
    ao.ok(['pr', 'review', '2', '--approve'])
    const { commit } = JSON.parse(ao.ok(['pr', 'merge', '2', '--json'])) as { commit: string }
    expect(git(ao.repo, ao.env, 'rev-parse', 'main')).toBe(commit)
    expect(readFileSync(join(ao.repo, 'answer.txt'), 'utf8')).toBe('good\n')
    expect(record(session.id)).toMatchObject({ pr: opened.url, status: 'merged' })
    expect(pulls()[0]?.state).toBe('merged')
    expect(ao.ok(['issue', 'show', '1'])).toContain('Closed by pull request #2')
    expect(ao.ok(['session', 'cleanup', '--dry-run', '--json'])).toContain(session.id)
    expect(git(ao.repo, ao.env, 'worktree', 'list').split('\n')).toHaveLength(2)
  })
})

describe('gh, answered by ao', () => {
  let worktree: string
  let session: string
  const runs = (command: string) =>
    YAML.replace('agent: demo', 'agent: generic').replace('permissions: skip', `command: ${command}`)
  beforeEach(async () => {
    ao = await createAoHome({ projectYaml: runs("[sh, -c, 'echo ready; exec cat']") })
    session = ao.spawn('work')
    worktree = ao.worktree(session)
  })

  const inside = (): NodeJS.ProcessEnv => ({
    ...ao.env,
    PATH: `${join(ao.home, '.ao', 'bin')}:${ao.env.PATH}`,
    AO_SESSION: session,
    AO_PROJECT_ID: 'app',
    AO_CALLER_TYPE: 'agent',
    AO_GH_FACADE: 'ao gh',
    AO_CONFIG_PATH: join(ao.repo, 'agent-orchestrator.yaml'),
    AO_DATA_DIR: join(ao.sessionFile(session), '..'),
  })
  /** What the wrapper starts: for long tables of answers, since the others go all the way. */
  const answer = (args: string[], input?: string): RunResult =>
    runBeside(['gh', ...args], { env: inside(), repo: worktree, input })
  /** As the agent calls it: the wrapper first on PATH, no gh anywhere, its own environment. */
  const gh = (args: string[], more: { env?: NodeJS.ProcessEnv; input?: string } = {}): RunResult => {
    const env = { ...inside(), ...more.env }
    const done = spawnSync('gh', args, { cwd: worktree, env, encoding: 'utf8', input: more.input ?? '' })
    return { stdout: done.stdout, stderr: done.stderr, exitCode: done.status, signal: done.signal }
  }
  const commit = (file: string, text: string, message: string) => {
    writeFileSync(join(worktree, file), text)
    git(worktree, ao.env, 'add', '--', file)
    git(worktree, ao.env, 'commit', '--quiet', '-m', message)
  }

  it('gives a program that draws nothing its prompt without waiting for a screen', async () => {
    await ao.cleanup()
    ao = await createAoHome({ projectYaml: runs('[cat]') })
    const began = performance.now()
    const second = ao.spawn('more')
    // A wait for an input line that never comes would be 40 s.
    expect(performance.now() - began).toBeLessThan(20_000)
    expect(record(second).promptDelivered).not.toBe('no')
  })

  it('keeps a session open as long as one of its pull requests is, and removes it after the last', () => {
    const opened = ['one', 'two'].map((name) => {
      git(worktree, ao.env, 'switch', '--quiet', '-c', `feat/${name}`, 'main')
      commit(`${name}.txt`, `${name}\n`, `Add ${name}`)
      return gh(['pr', 'create', '--fill']).stdout.trim()
    })
    expect(record(session)).toMatchObject({ pr: opened[1], prs: opened.join(' '), status: 'pr_open' })
    const cleanup = () => ao.ok(['session', 'cleanup', '--dry-run'])
    const numbers = opened.map((url) => url.split('/').at(-1)!)
    for (const [index, number] of numbers.entries()) {
      expect(record(session).status).toBe('pr_open')
      expect(cleanup()).not.toContain('would remove')
      ao.ok(['pr', 'review', number, '--approve'])
      ao.ok(['pr', 'merge', number, '--force'])
      if (index === 0) expect(ao.ok(['why', session])).toContain('pull request')
    }
    expect(record(session).status).toBe('merged')
    expect(cleanup()).toContain('its status is merged')
  })

  it('S1.74 the manager declares in the agent’s environment that ao answers gh', async () => {
    const environ = await waitFor('the agent', () =>
      environments().find((text) => text.includes(`HOME=${ao.home}\0`) && text.includes(`AO_SESSION=${session}\0`)),
    )
    expect(environ.split('\0')).toContain('AO_GH_FACADE=ao gh')
  })

  it('S1.74 S1.76 gh pr create --fill prints the URL as its last line and notes it in the record', () => {
    expect(gh(['pr', 'create', '--fill'])).toMatchObject({ exitCode: 1, stdout: '' })
    expect(record(session).pr).toBeUndefined()
    commit('a.txt', 'a\n', 'Add a\n\nBecause.')
    const created = gh(['pr', 'create', '--fill'])
    expect(created.exitCode, created.stderr).toBe(0)
    expect(created.stdout).toBe('http://localhost:3000/projects/app/pull/1\n')
    expect(record(session)).toMatchObject({ pr: created.stdout.trim(), status: 'pr_open' })
    const again = gh(['pr', 'create', '--fill'])
    expect(again).toMatchObject({ exitCode: 1, stdout: '' })
    expect(again.stderr).toContain('already exists:\nhttp://localhost:3000/projects/app/pull/1')
    expect(gh(['pr', 'view']).stdout).toContain('title:\tAdd a\nstate:\tOPEN\n')
    expect(gh(['pr', 'view', '--json', 'body', '--jq', '.body']).stdout).toBe('Because.\n')
    expect(gh(['pr', 'list']).stdout).toMatch(/^1\tAdd a\tsession\/app-1\tOPEN\t\d{4}-/)
  })

  it('takes titles, bodies from files and stdin, drafts, and changes them later', () => {
    commit('a.txt', 'a\n', 'one')
    commit('b.txt', 'b\n', 'two')
    writeFileSync(join(ao.home, 'body.md'), 'from a file\n')
    answer([
      'pr',
      'create',
      '-t',
      'T: $(id)',
      '-F',
      join(ao.home, 'body.md'),
      '-d',
      '-B',
      'main',
      '-H',
      'me:session/app-1',
    ])
    const fields = [
      'pr',
      'view',
      '1',
      '--json',
      'title,body,isDraft,state,files,commits,mergeable,reviewDecision,author',
    ]
    expect(JSON.parse(answer(fields).stdout)).toMatchObject({
      title: 'T: $(id)',
      body: 'from a file\n',
      isDraft: true,
      state: 'OPEN',
      mergeable: 'MERGEABLE',
      files: [
        { path: 'a.txt', additions: 1, deletions: 0 },
        { path: 'b.txt', additions: 1, deletions: 0 },
      ],
      commits: [{ messageHeadline: 'one' }, { messageHeadline: 'two' }],
      author: { login: 'app-1', is_bot: true },
    })
    expect(answer(['pr', 'ready']).stderr).toContain('is marked as "ready for review"')
    expect(answer(['pr', 'edit', '--title', 'New', '--body-file', '-'], 'typed').stdout).toContain('/pull/1')
    expect(answer(['pr', 'comment', '--body', 'a word']).stdout).toMatch(/pull\/1#issuecomment-/)
    const jq = '"\\(.title) \\(.isDraft) \\(.comments[0].body)"'
    expect(answer(['pr', 'view', '--json', 'title,isDraft,comments', '-q', jq]).stdout).toBe('New false a word\n')
    expect(answer(['pr', 'diff', '--name-only']).stdout).toBe('a.txt\nb.txt\n')
    expect(answer(['pr', 'status']).stdout).toContain('#1  New [session/app-1]')
    expect(answer(['pr', 'close', '-c', 'no']).exitCode).toBe(0)
    expect(answer(['pr', 'view', '--json', 'state']).stdout).toBe('{"state":"CLOSED"}\n')
  })

  it('S1.75 S1.76 has gh’s exit codes for checks, and merges only what passed and was approved', () => {
    commit('answer.txt', 'bad\n', 'Answer')
    gh(['pr', 'create', '--fill'])
    expect(gh(['pr', 'checks'])).toMatchObject({ exitCode: 8, stdout: expect.stringMatching(/^unit\tpending\t/) })
    expect(gh(['pr', 'checks', '--watch'])).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/^unit\tfail\t/),
    })
    expect(gh(['run', 'view', '--log-failed']).stdout).toContain('unit\tUNKNOWN STEP\tunit exited with 1')
    expect(gh(['run', 'list', '--json', 'databaseId,conclusion']).stdout).toBe(
      '[{"conclusion":"failure","databaseId":1}]\n',
    )
    commit('answer.txt', 'good\n', 'Correct')
    expect(gh(['pr', 'checks', '--watch']).exitCode).toBe(0)
    expect(gh(['pr', 'checks', '--json', 'name,bucket']).stdout).toBe('[{"bucket":"pass","name":"unit"}]\n')
    const refused = gh(['pr', 'merge', '--squash', '--admin'])
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toContain('nobody has approved')
    expect(record(session).status).toBe('pr_open')
    expect(gh(['pr', 'review', '--approve']).stderr).toContain('your own pull request')
    ao.ok(['pr', 'review', '1', '--approve'])
    expect(gh(['pr', 'merge', '--squash', '--match-head-commit', '0'.repeat(40)]).exitCode).toBe(1)
    expect(gh(['pr', 'merge', '--squash']).exitCode).toBe(0)
    expect(record(session).status).toBe('merged')
    expect(gh(['pr', 'merge', '--squash']).stderr).toContain('already merged')
    expect(existsSync(join(ao.repo, 'answer.txt'))).toBe(true)
    // Twenty programs, one after the other.
  }, 180_000)

  it('D21 changes only the pull request of its own session; on those of others it may comment', () => {
    commit('answer.txt', 'good\n', 'Answer')
    gh(['pr', 'create', '--fill'])
    const others: Array<[string, NodeJS.ProcessEnv]> = [
      ['session app-9', { AO_SESSION: 'app-9' }],
      ['an orchestrator', { AO_SESSION: 'app-orchestrator', AO_CALLER_TYPE: 'orchestrator' }],
    ]
    for (const [who, env] of others) {
      for (const args of [
        ['review', '1', '--approve'],
        ['merge', '1', '--admin'],
        ['close', '1'],
        ['edit', '1', '-t', 'x'],
      ]) {
        const { exitCode, stderr } = gh(['pr', ...args], { env })
        expect({ exitCode, stderr }).toEqual({
          exitCode: 1,
          stderr: expect.stringContaining(`not one that ${who} may`),
        })
      }
      expect(gh(['pr', 'comment', '1', '-b', 'Looks good'], { env }).exitCode).toBe(0)
    }
    expect(gh(['pr', 'view', '1', '--json', 'state,reviews']).stdout).toBe('{"reviews":[],"state":"OPEN"}\n')
  })

  it('answers issues, repository and login, and says what it cannot do', () => {
    ao.ok(['issue', 'new', 'First', '-b', 'text'])
    expect(answer(['issue', 'view', '1']).stdout).toContain('title:\tFirst\nstate:\tOPEN\n')
    expect(answer(['issue', 'create', '--title', 'Second', '--body', 'b', '-l', 'bug']).stdout).toMatch(
      /\/issues\/2\n$/,
    )
    expect(answer(['issue', 'comment', '2', '-b', 'hello']).exitCode).toBe(0)
    expect(answer(['issue', 'list', '--json', 'number,labels', '--jq', '.[].number']).stdout).toBe('2\n1\n')
    expect(answer(['issue', 'close', '2']).exitCode).toBe(0)
    expect(answer(['issue', 'list']).stdout).toMatch(/^1\tOPEN\tFirst\t/)
    expect(answer(['issue', 'view', '9'])).toMatchObject({ exitCode: 1, stdout: '' })
    expect(answer(['repo', 'view', '--json', 'nameWithOwner', '-q', '.nameWithOwner']).stdout).toBe('projects/app\n')
    expect(answer(['auth', 'status']).exitCode).toBe(0)
    expect(answer(['pr', 'view'])).toMatchObject({
      exitCode: 1,
      stderr: 'no pull requests found for branch "session/app-1"\n',
    })
    expect(answer(['pr', 'list', '--json', 'nonsense']).stderr).toContain('Unknown JSON field: "nonsense"')
    expect(answer(['pr', 'list', '--nonsense']).stderr).toContain('unknown flag: --nonsense')
    expect(answer(['search', 'prs']).stderr).toContain('gh search prs is not available here')
  })

  it('S1.77 knows all of jq without the program', () => {
    const bin = join(ao.home, 'no-jq')
    mkdirSync(bin)
    for (const tool of ['git', 'sh', 'bash', 'env', 'cat']) {
      writeFileSync(
        join(bin, tool),
        `#!/bin/sh\nexec ${spawnSync('which', [tool], { encoding: 'utf8' }).stdout.trim()} "$@"\n`,
        { mode: 0o755 },
      )
    }
    commit('a.txt', 'a\n', 'one')
    gh(['pr', 'create', '--fill'])
    const env = { PATH: `${join(ao.home, '.ao', 'bin')}:${bin}` }
    const run = (jq: string) => gh(['pr', 'list', '--json', 'number,title,author', '--jq', jq], { env })
    expect(run('.[].number').stdout).toBe('1\n')
    expect(run('.[0].author.login').stdout).toBe('app-1\n')
    expect(run('.[] | .title').stdout).toBe('one\n')
    expect(run('length').stdout).toBe('1\n')
    expect(run('map(.title) | join("+")').stdout).toBe('one\n')
    expect(run('map(').stderr).toContain('failed to parse jq expression')
  })
})
