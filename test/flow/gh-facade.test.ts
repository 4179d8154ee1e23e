// What gh stores, shows and refuses in a session of the local forge. M2, M3 and M4 of the ecosystem report: no silent yes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGhSession, type GhSession, numberedAsBefore } from '../support/gh-session.ts'
import { git } from '../support/git-repo.ts'
import { buildAo } from '../support/run-ao.ts'

let session: GhSession
beforeAll(async () => {
  buildAo()
  session = await createGhSession()
  session.commit('answer.txt', 'bad\n', 'Answer')
  await session.ok('issue', 'create', '-t', 'First', '-b', 'text', '-l', 'bug,ui', '-a', '@me', '-a', 'maria')
  const names = ['--label', 'bug', '-l', 'big work', '-r', 'maria,sam', '--assignee', '@me']
  await numberedAsBefore(session, () => session.ok('pr', 'create', '--fill', ...names))
})
afterAll(async () => {
  expect(await session.ao.cleanup()).toEqual([])
})

interface Names {
  labels: Array<{ name: string; color: string; description: string }>
  assignees: Array<{ login: string }>
  reviewRequests: Array<{ login: string }>
}

describe('labels, reviewers and assignees', () => {
  it('are stored with a new pull request, changed later, and shown by gh and by ao', async () => {
    const { ok, json, ao, id } = session
    const names = () => json<Names>('pr', 'view', '1', '--json', 'labels,assignees,reviewRequests')
    expect(await names()).toMatchObject({
      labels: [{ name: 'bug' }, { name: 'big work' }],
      assignees: [{ login: id }],
      reviewRequests: [{ login: 'maria' }, { login: 'sam' }],
    })
    await ok(
      'pr',
      'edit',
      '1',
      '--add-label',
      'later',
      '--remove-label',
      'BUG',
      '--remove-reviewer',
      'sam',
      '--add-assignee',
      'sam',
    )
    expect(await names()).toMatchObject({
      labels: [{ name: 'big work' }, { name: 'later' }],
      assignees: [{ login: id }, { login: 'sam' }],
      reviewRequests: [{ login: 'maria' }],
    })
    expect(await ok('pr', 'view', '1')).toContain(
      'labels:\tbig work, later\nassignees:\tapp-1, sam\nreviewers:\tmaria (Requested)\n',
    )
    expect(await ok('pr', 'list', '--label', 'later', '--assignee', 'sam', '--json', 'number')).toBe('[{"number":1}]\n')
    expect(await ok('pr', 'list', '--label', 'bug')).toBe('')
    expect(await ok('pr', 'list', '--search', 'label:later is:open author:@me Answer', '--json', 'number')).toBe(
      '[{"number":1}]\n',
    )
    expect(await ok('pr', 'list', '--search', '-label:later')).toBe('')
    expect(ao.ok(['pr', 'view', '1'])).toContain(
      'labels: big work, later\nassignees: app-1, sam\nreview requested of: maria\n',
    )
    expect(JSON.parse(ao.ok(['pr', 'view', '1', '--json'])).pullRequest).toMatchObject({ reviewers: ['maria'] })
  })

  it('belong to issues too, with more than one assignee', async () => {
    const { ok, json, ao } = session
    expect(await json('issue', 'view', '1', '--json', 'labels,assignees')).toMatchObject({
      labels: [{ name: 'bug' }, { name: 'ui' }],
      assignees: [{ login: 'app-1' }, { login: 'maria' }],
    })
    const url = await ok(
      'issue',
      'edit',
      '1',
      '--title',
      'Changed',
      '--add-label',
      'x',
      '--remove-label',
      'ui',
      '--remove-assignee',
      '@me',
    )
    expect(url).toMatch(/\/issues\/1\n$/)
    expect(await ok('issue', 'view', '1')).toContain('title:\tChanged\nstate:\tOPEN\nauthor:\tapp-1\nlabels:\tbug, x\n')
    expect(ao.ok(['issue', 'show', '1'])).toContain('for maria')
    await ok('issue', 'edit', '1', '--add-assignee', 'sam')
    expect(ao.ok(['issue', 'show', '1'])).toContain('for maria, sam')
    await ok('issue', 'close', '1', '--reason', 'not planned', '-c', 'No.')
    expect(await json('issue', 'view', '1', '--json', 'state,stateReason,closedAt,comments')).toMatchObject({
      state: 'CLOSED',
      stateReason: 'NOT_PLANNED',
      closedAt: expect.stringMatching(/^20/),
      comments: [{ body: 'No.' }],
    })
    await ok('issue', 'reopen', '1')
    expect(await json('issue', 'view', '1', '--json', 'state,closedAt')).toEqual({ state: 'OPEN', closedAt: null })
  })

  it('can be described, renamed and deleted while nothing carries them', async () => {
    const { ok, gh, json } = session
    await ok('label', 'create', 'bug', '--color', '#D73A4A', '-d', 'Something is wrong')
    expect(gh(['label', 'create', 'BUG'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('already exists'),
    })
    expect(await ok('label', 'list')).toContain('bug\tSomething is wrong\t#d73a4a\n')
    await ok('label', 'create', 'free')
    await ok('label', 'edit', 'free', '--name', 'freer', '-d', 'x')
    expect(await json('label', 'list', '--search', 'freer', '--json', 'name,color,description')).toEqual([
      { name: 'freer', color: 'ededed', description: 'x' },
    ])
    const inUse = gh(['label', 'delete', 'bug', '--yes'])
    expect(inUse).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('while it is in use: issue 1') })
    expect(gh(['label', 'delete', 'freer'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('--yes required'),
    })
    await ok('label', 'delete', 'freer', '--yes')
    expect(await ok('label', 'list', '--search', 'freer')).toBe('')
    expect(gh(['label', 'edit', 'nothing', '-d', 'x']).stderr).toContain('could not find label "nothing"')
  })
})

describe('what gh does to pull requests and runs', () => {
  it('edits its own last comment and no other’s', async () => {
    const { ok, gh, json } = session
    expect(gh(['pr', 'comment', '1', '--edit-last', '-b', 'x'])).toMatchObject({
      exitCode: 1,
      stderr: 'no comments found for current user\n',
    })
    const first = await ok('pr', 'comment', '1', '-b', 'One')
    expect(await ok('pr', 'comment', '1', '--edit-last', '-b', 'Two')).toBe(first)
    expect(gh(['pr', 'comment', '1', '--edit-last', '-b', 'Three'], { env: { AO_SESSION: 'app-9' } }).exitCode).toBe(1)
    expect(await json('pr', 'view', '1', '--json', 'comments')).toMatchObject({
      comments: [{ body: 'Two', author: { login: 'app-1' } }],
    })
  })

  it('runs checks again, and shows the log of one job', async () => {
    const { ok, gh, json } = session
    expect(gh(['run', 'rerun', '1']).stderr).toContain('run 1 cannot be rerun; its checks are running or about to run')
    expect(gh(['run', 'watch', '1', '--exit-status']).exitCode).toBe(1)
    const { jobs } = await json<{ jobs: Array<{ name: string; databaseId: number; conclusion: string }> }>(
      'run',
      'view',
      '1',
      '--json',
      'jobs',
    )
    expect(jobs).toMatchObject([
      { name: 'unit', conclusion: 'failure' },
      { name: 'lint', conclusion: 'success' },
    ])
    const [unit, lint] = jobs.map(({ databaseId }) => String(databaseId))
    expect(await ok('run', 'view', '--job', unit!, '--log')).toContain('unit\tUNKNOWN STEP\tunit exited with 1')
    expect(await ok('run', 'view', '1', '--log-failed')).not.toContain('lint\t')
    expect(gh(['run', 'view', '--job', lint!, '--exit-status']).exitCode).toBe(0)
    expect(await ok('run', 'list', '--status', 'failure', '--workflow', 'ci', '--json', 'databaseId')).toBe(
      '[{"databaseId":1}]\n',
    )
    expect(await ok('run', 'list', '--status', 'success')).toBe('')
    expect(gh(['run', 'list', '--workflow', 'deploy'])).toMatchObject({
      exitCode: 1,
      stderr: 'could not find any workflows named deploy\n',
    })
    expect(gh(['run', 'rerun', '1', '--failed']).exitCode).toBe(0)
    expect(await ok('pr', 'view', '1', '--json', 'statusCheckRollup', '-q', '.statusCheckRollup[].status')).toBe(
      'QUEUED\nQUEUED\n',
    )
    expect(gh(['pr', 'checks', '1', '--watch', '--fail-fast']).exitCode).toBe(1)
    expect(await ok('workflow', 'list')).toBe('CI\tactive\t1\n')
  })

  it('checks a pull request out where no other session works on it', async () => {
    const { ok, gh, worktree, ao } = session
    git(worktree, ao.env, 'switch', '--quiet', '--detach', 'main')
    gh(['pr', 'checkout', '1', '--detach'])
    expect(readFileSync(join(worktree, 'answer.txt'), 'utf8')).toBe('bad\n')
    gh(['pr', 'checkout', '1', '-b', 'copy'])
    expect(git(worktree, ao.env, 'branch', '--show-current')).toBe('copy')
    await ok('pr', 'checkout', '1')
    expect(git(worktree, ao.env, 'branch', '--show-current')).toBe('session/app-1')
    expect(gh(['pr', 'checkout', '1'], { cwd: ao.repo }).stderr).toMatch(
      /is checked out in .*gh pr checkout 1 --detach/,
    )
    expect(gh(['pr', 'checkout']).exitCode).toBe(1)
  })

  it('refuses Go templates with a hint to --jq, and prints patches', async () => {
    const { ok, gh } = session
    for (const flag of ['-t', '--template'])
      expect(gh(['pr', 'list', '--json', 'number', flag, '{{.}}'])).toMatchObject({
        exitCode: 1,
        stdout: '',
        stderr: '--template is not available here: use --jq\n',
      })
    expect(await ok('pr', 'diff', '1', '--patch')).toMatch(/^From [0-9a-f]{40} .*Subject: \[PATCH\] Answer/s)
  })
})

describe('what cannot be done', () => {
  const FOREIGN = { exitCode: 1, stdout: '', stderr: expect.stringContaining('is another repository') }

  it.each([
    [['pr', 'view', '1']],
    [['pr', 'list']],
    [['pr', 'comment', '1', '-b', 'x']],
    [['issue', 'view', '1']],
    [['issue', 'edit', '1', '-t', 'x']],
    [['label', 'list']],
    [['run', 'list']],
    [['repo', 'view']],
    [['auth', 'status']],
  ])('gh %j answers for no other repository', async (args) => {
    expect(await session.answer([...args, '-R', 'acme/app'])).toMatchObject(FOREIGN)
  })

  it('reads every way to name another repository', async () => {
    const view = ['pr', 'view', '1']
    for (const repo of ['acme/app', 'github.com/projects/app', 'https://github.com/projects/app.git'])
      expect(await session.answer([...view, `--repo=${repo}`])).toMatchObject(FOREIGN)
    expect(await session.answer(['-R', 'acme/app', ...view])).toMatchObject(FOREIGN)
    expect(session.gh(view, { env: { GH_REPO: 'acme/app' } })).toMatchObject(FOREIGN)
  })

  it('takes its own repository by name', async () => {
    for (const repo of ['projects/app', 'localhost:3000/projects/app', 'http://localhost:3000/projects/app'])
      expect((await session.answer(['pr', 'view', '1', '-R', repo])).stdout).toContain('title:\tAnswer')
    expect((await session.answer(['pr', 'list', '-R', 'app'])).stderr).toContain(
      'expected the "[HOST/]OWNER/REPO" format',
    )
  })

  it.each([
    [['pr', 'create', '--fill', '--milestone', 'v1'], 'no milestones'],
    [['pr', 'create', '--fill', '--project', 'x'], 'no project boards'],
    [['pr', 'create', '--fill', '--web'], 'no browser'],
    [['pr', 'create', '--fill', '-l', 'a\tb'], 'cannot be a name'],
    [['pr', 'edit', '1', '--add-project', 'x'], 'no project boards'],
    [['pr', 'edit', '1'], 'at least one field'],
    [['pr', 'list', '--search', 'involves:sam'], 'qualifier involves: is not available'],
    [['pr', 'list', '--app', 'x'], 'no GitHub app'],
    [['pr', 'view', '1', '2'], 'accepts at most 1 arg(s), received 2'],
    [['pr', 'list', 'word'], 'unknown argument "word"'],
    [['pr', 'view', '1', '--web'], 'no browser'],
    [['pr', 'merge', '1', '--disable-auto'], 'no auto-merge'],
    [['pr', 'diff', '1', '--color', 'blue'], 'valid values are {always|never|auto}'],
    [['issue', 'close', '1', '--reason', 'bored'], 'valid values are {completed|not planned}'],
    [['issue', 'create', '-t', 'x', '-b', 'y', '-m', 'v1'], 'no milestones'],
    [['issue', 'list', '--mention', 'x'], 'mentions are not kept'],
    [['run', 'view', '1', '--attempt', '2'], 'only the last attempt'],
    [['run', 'view', '--job', '1'], 'could not find a job'],
    [['auth', 'token'], 'no oauth token'],
    [['auth', 'status', '--hostname', 'github.com'], 'not logged into any accounts on github.com'],
    [['release', 'list'], 'gh release list is not available here'],
    [['gist', 'list'], 'gh gist list is not available here'],
  ])('gh %j: %s', async (args, why) => {
    expect(await session.answer(args)).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining(why) })
  })

  it('changes nothing on the way to a refusal', async () => {
    expect(await session.ok('pr', 'list', '--state', 'all', '--json', 'number')).toBe('[{"number":1}]\n')
    expect(await session.ok('issue', 'list', '--state', 'all', '--json', 'number')).toBe('[{"number":1}]\n')
  })

  it.each([
    ['help', 'gh pr create'],
    ['label --help', 'gh label create'],
    ['pr edit --help', 'gh pr edit'],
    ['pr', 'gh pr checkout'],
  ])('gh %s says what there is', async (line, command) => {
    expect(await session.answer(line.split(' '))).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(command),
    })
  })
})
