// `gh api` in a session of the local forge: the calls that agents make, what they change, and what is refused.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGhSession, type GhSession, numberedAsBefore } from '../support/gh-session.ts'
import { buildAo } from '../support/run-ao.ts'

interface Call {
  who: string
  args: string[]
  answer?: unknown
  text?: string
  lines?: string
  refused?: string
  exitCode?: number
}

const { calls } = JSON.parse(readFileSync(new URL('../fixtures/gh-calls.json', import.meta.url), 'utf8')) as {
  calls: Call[]
}

const PLACEHOLDERS: Record<string, unknown> = {
  '<n>': expect.any(Number),
  '<sha>': expect.stringMatching(/^[0-9a-f]{40}$/),
  '<time>': expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  '<text>': expect.any(String),
  '<null>': null,
}

function shapeOf(value: unknown): unknown {
  if (typeof value === 'string') return Object.hasOwn(PLACEHOLDERS, value) ? PLACEHOLDERS[value] : value
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shapeOf(one)]))
}

let session: GhSession
beforeAll(async () => {
  buildAo()
  session = await createGhSession()
  const { ok, commit, ao, gh } = session
  await ok('issue', 'create', '-t', 'First', '-b', 'text', '-l', 'bug')
  commit('answer.txt', 'bad\nworse\n', 'Answer')
  await numberedAsBefore(session, () => ok('pr', 'create', '--fill', '-l', 'bug', '-r', 'maria'))
  gh(['pr', 'checks', '1', '--watch'])
  await ok('pr', 'comment', '1', '-b', 'On my way')
  const review = [
    'pr',
    'review',
    '1',
    '--request-changes',
    '-b',
    'Almost',
    '--line',
    'answer.txt:1:Sure?',
    '--line',
    'answer.txt:2:No.',
  ]
  const { exitCode, stderr } = ao.run(review, { USER: 'sam' })
  if (exitCode !== 0) throw new Error(stderr)
})
afterAll(async () => {
  expect(await session.ao.cleanup()).toEqual([])
})

describe('the calls that agents make', () => {
  it.each(calls.map((call) => [`${call.who}: gh ${call.args.join(' ').slice(0, 120)}`, call] as const))(
    '%s',
    async (_, call) => {
      const { stdout, stderr, exitCode } = await session.answer(call.args)
      expect(exitCode, stderr).toBe(call.exitCode ?? 0)
      if (call.refused !== undefined) expect(stderr).toContain(call.refused)
      if (call.text !== undefined) expect(stdout).toBe(call.text)
      if (call.lines !== undefined) expect(stdout).toMatch(new RegExp(call.lines, 'm'))
      if (call.answer !== undefined) expect(JSON.parse(stdout)).toMatchObject(shapeOf(call.answer) as object)
    },
  )
})

describe('what gh api changes', () => {
  it('replies in a thread and resolves it, by REST and by GraphQL', async () => {
    const { json, ok, gh, ao } = session
    const [first, second] = await json<Array<{ id: number }>>('api', 'repos/{owner}/{repo}/pulls/1/comments')
    const reply = await json<{ in_reply_to_id: number; line: number }>(
      'api',
      `repos/{owner}/{repo}/pulls/1/comments/${first!.id}/replies`,
      '-f',
      'body=Yes, sure.',
    )
    expect(reply).toMatchObject({
      in_reply_to_id: first!.id,
      line: 1,
      body: 'Yes, sure.',
      user: { login: 'app-1', type: 'Bot' },
    })
    await json('api', 'repos/{owner}/{repo}/pulls/1/comments', '-F', `in_reply_to=${second!.id}`, '-f', 'body=Done.')
    const threads = async () =>
      JSON.parse(
        await ok(
          'api',
          'graphql',
          '-f',
          'query={repository(owner:"projects",name:"app"){pullRequest(number:1){reviewThreads(first:10){nodes{id isResolved comments(first:5){nodes{body replyTo{id}}}}}}}}',
          '--jq',
          '.data.repository.pullRequest.reviewThreads.nodes',
        ),
      ) as Array<{ id: string; isResolved: boolean; comments: { nodes: Array<{ body: string }> } }>
    expect((await threads()).map(({ comments }) => comments.nodes.map(({ body }) => body))).toEqual([
      ['Sure?', 'Yes, sure.'],
      ['No.', 'Done.'],
    ])
    const { id } = (await threads())[0]!
    const resolve = 'mutation($id:ID!){resolveReviewThread(input:{threadId:$id}){thread{id isResolved}}}'
    const other = gh(['api', 'graphql', '-f', `query=${resolve}`, '-f', `id=${id}`], { env: { AO_SESSION: 'app-9' } })
    expect(other).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('is not one that session app-9 may edit'),
    })
    expect(await json('api', 'graphql', '-f', `query=${resolve}`, '-f', `id=${id}`)).toEqual({
      data: { resolveReviewThread: { thread: { id, isResolved: true } } },
    })
    expect((await threads()).map(({ isResolved }) => isResolved)).toEqual([true, false])
    const answer =
      'mutation($id:ID!,$body:String!){addPullRequestReviewThreadReply(input:{pullRequestReviewThreadId:$id,body:$body}){comment{body}}}'
    await ok('api', 'graphql', '-f', `query=${answer}`, '-f', `id=${id}`, '-f', 'body=Once more')
    expect(ao.ok(['pr', 'view', '1'])).toMatch(/app-1 replied \(comment-[0-9a-f]+, resolved\)\nOnce more/)
  })

  it('edits pull requests, issues, labels, reviewers and comments', async () => {
    const { json, ok, gh } = session
    expect(
      await json('api', '-X', 'PATCH', 'repos/{owner}/{repo}/pulls/1', '-f', 'title=Better', '-f', 'body=Why'),
    ).toMatchObject({ title: 'Better', body: 'Why' })
    expect(
      await json(
        'api',
        'repos/{owner}/{repo}/pulls/1/requested_reviewers',
        '-f',
        'reviewers[]=sam',
        '-f',
        'reviewers[]=eva',
      ),
    ).toMatchObject({ requested_reviewers: [{ login: 'maria' }, { login: 'sam' }, { login: 'eva' }] })
    expect(
      await json(
        'api',
        'repos/{owner}/{repo}/pulls/1/reviews',
        '-f',
        'event=COMMENT',
        '-f',
        'body=Look',
        '-f',
        'comments[][path]=answer.txt',
        '-F',
        'comments[][line]=2',
        '-f',
        'comments[][body]=here',
      ),
    ).toMatchObject({ state: 'COMMENTED' })
    const issue = await json<{ number: number }>(
      'api',
      'repos/{owner}/{repo}/issues',
      '-f',
      'title=Second',
      '-f',
      'body=b',
      '-f',
      'labels[]=x',
    )
    expect(issue).toMatchObject({ number: 2, labels: [{ name: 'x' }] })
    const result = await json<{ id: number }>('api', 'repos/{owner}/{repo}/issues/2/comments', '-f', 'body=Hello')
    expect(await json('api', `repos/{owner}/{repo}/issues/comments/${result.id}`)).toMatchObject({
      body: 'Hello',
      user: { login: 'app-1' },
    })
    expect(await json('api', 'repos/{owner}/{repo}/issues/2/labels', '-f', 'labels[]=y')).toMatchObject([
      { name: 'x' },
      { name: 'y' },
    ])
    await ok('api', '-X', 'DELETE', 'repos/{owner}/{repo}/issues/2/labels/x')
    expect(
      await json(
        'api',
        '-X',
        'PATCH',
        'repos/{owner}/{repo}/issues/2',
        '-f',
        'state=closed',
        '-f',
        'state_reason=not_planned',
      ),
    ).toMatchObject({ state: 'closed', state_reason: 'not_planned', labels: [{ name: 'y' }] })
    expect(
      gh(['api', 'repos/{owner}/{repo}/labels', '--input', '-'], { input: '{"name":"hot","color":"FF0000"}' }).stdout,
    ).toContain('"color":"ff0000"')
    expect(await ok('api', '-X', 'DELETE', 'repos/{owner}/{repo}/labels/hot')).toBe('')
    // Issue 1 and pull request 1 both exist: reading shows both, writing wants to know which.
    const both = gh(['api', 'repos/{owner}/{repo}/issues/1/comments', '-f', 'body=x'])
    expect(both).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('both exist here') })
  })

  it('merges only what was approved, and never approves its own', () => {
    const { gh } = session
    const approve = gh(['api', 'repos/{owner}/{repo}/pulls/1/reviews', '-f', 'event=APPROVE'])
    expect(approve).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('your own pull request') })
    const merge = gh(['api', '-X', 'PUT', 'repos/{owner}/{repo}/pulls/1/merge', '-f', 'merge_method=squash'])
    expect(merge).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/nobody has approved .*\(HTTP 405\)/s) })
    const mutation = 'mutation{mergePullRequest(input:{pullRequestId:"PR_1"}){pullRequest{state}}}'
    expect(gh(['api', 'graphql', '-f', `query=${mutation}`])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('nobody has approved'),
    })
    expect(
      gh(['api', '-X', 'PATCH', 'repos/{owner}/{repo}/pulls/1', '-f', 'state=closed'], {
        env: { AO_SESSION: 'app-9' },
      }),
    ).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('(HTTP 403)') })
  })
})

describe('how gh api prints', () => {
  it('shows heads and pages', async () => {
    const { ok, json } = session
    expect(await ok('api', '-i', 'repos/{owner}/{repo}/issues?state=all&per_page=1')).toMatch(
      /^HTTP\/2\.0 200 OK\nContent-Type: application\/json; charset=utf-8\nLink: <http:\/\/localhost:\d+\/repos\/projects\/app\/issues\?\S+page=2>; rel="next", .*\n\n\[/,
    )
    expect(await json<unknown[]>('api', 'repos/{owner}/{repo}/issues?state=all&per_page=1', '--paginate')).toHaveLength(
      3,
    )
    const slurped = ['api', 'repos/{owner}/{repo}/issues', '-X', 'GET', '-F', 'per_page=2', '-f', 'state=all']
    const pages = await json<unknown[][]>(...slurped, '--paginate', '--slurp')
    expect(pages.map((page) => page.length)).toEqual([2, 1])
  })

  it('goes through the pages of GraphQL', async () => {
    const query =
      'query($endCursor:String){repository(owner:"projects",name:"app"){issues(first:1,after:$endCursor){nodes{number}pageInfo{hasNextPage endCursor}}}}'
    expect(
      await session.ok(
        'api',
        'graphql',
        '--paginate',
        '-f',
        `query=${query}`,
        '--jq',
        '.data.repository.issues.nodes[].number',
      ),
    ).toBe('1\n2\n')
  })

  it('prints nothing with --silent', async () => {
    const { ok } = session
    expect(await ok('api', 'repos/{owner}/{repo}/pulls', '--silent')).toBe('')
  })
})

describe('what gh api refuses', () => {
  it.each([
    [['api', 'repos/acme/app/pulls'], 'acme/app is another repository', 404],
    [['api', 'repos/{owner}/{repo}/releases'], 'releases is not available in the local forge', 501],
    [['api', 'orgs/acme'], 'orgs/acme is not available in the local forge', 501],
    [['api', 'rate_limit'], 'not available in the local forge', 501],
    [['api', '-X', 'DELETE', 'repos/{owner}/{repo}'], 'it answers GET there', 501],
    [['api', 'repos/{owner}/{repo}/pulls/99'], 'There is no pull request 99', 404],
    [['api', 'repos/{owner}/{repo}/pulls?milestone=1'], 'the parameter milestone', 422],
    [['api', 'repos/{owner}/{repo}/pulls?state=merged'], 'state must be one of open, closed, all', 422],
    [['api', 'repos/{owner}/{repo}/pulls?per_page=x'], 'per_page must be a positive number', 422],
    [
      ['api', '-X', 'PATCH', 'repos/{owner}/{repo}/pulls/1', '-F', 'maintainer_can_modify=true'],
      'cannot store maintainer_can_modify',
      422,
    ],
    [
      ['api', '-X', 'PATCH', 'repos/{owner}/{repo}/pulls/1', '-F', 'title=3'],
      '"title" is missing or has the wrong type',
      422,
    ],
    [['api', 'repos/{owner}/{repo}/pulls/1', '-H', 'Accept: text/html'], 'text/html is not available', 415],
    [
      ['api', 'repos/{owner}/{repo}/issues/2/comments', '-f', 'body=x', '-f', 'reaction=y'],
      'cannot store reaction',
      422,
    ],
    [['api', 'repos/{owner}/{repo}/pulls/1/reviews', '-f', 'body=x'], 'no pending reviews', 501],
  ])('gh %j: %s', async (args, why, status) => {
    const { exitCode, stdout, stderr } = await session.answer(args)
    expect(exitCode).toBe(1)
    expect(stderr).toContain(why)
    expect(stderr).toMatch(new RegExp(`^gh: .*\\(HTTP ${status}\\)$`, 'm'))
    expect(JSON.parse(stdout)).toMatchObject({ message: expect.stringContaining(why), status: String(status) })
  })

  it.each([
    [['api', 'https://api.github.com/user'], 'ao asks no other server'],
    [['api', 'user', '--hostname', 'github.com'], 'this project has no server but ao'],
    [['api', 'user', '--nope'], 'unknown flag: --nope'],
    [['api', 'user', '-f', 'novalue'], "requires a value separated by an '=' sign"],
    [['api', 'user', '-X', 'TRACE'], 'the HTTP method TRACE'],
    [['api', 'user', '--template', '{{.}}'], '--template is not available here: use --jq'],
    [['api', 'user', '--slurp'], '`--paginate` required'],
    [['api'], 'accepts 1 arg(s), received 0'],
    [['api', 'user', 'repos'], 'accepts at most 1 arg(s)'],
  ])('gh %j: %s', async (args, why) => {
    expect(await session.answer(args)).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining(why) })
  })

  it.each([
    ['{viewer{nonsense}}', 'Cannot query field "nonsense" on type "User"'],
    ['{viewer{login repositories(first:1){totalCount}}}', 'User.repositories is not available in the local forge'],
    ['{repository(owner:"acme",name:"app"){id}}', "Could not resolve to a Repository with the name 'acme/app'"],
    [
      '{repository(owner:"projects",name:"app"){pullRequest(number:9){id}}}',
      'Could not resolve to a PullRequest with the number of 9',
    ],
    [
      '{repository(owner:"projects",name:"app"){pullRequests{totalCount}}}',
      'You must provide a `first` or `last` value',
    ],
    [
      '{repository(owner:"projects",name:"app"){issues(first:1,filterBy:{mentioned:"x"}){totalCount}}}',
      'the argument filterBy of Repository.issues',
    ],
    [
      'mutation{addStar(input:{starrableId:"R_app"}){clientMutationId}}',
      'Mutation.addStar is not available in the local forge',
    ],
    [
      'mutation{updatePullRequest(input:{pullRequestId:"PR_1",milestoneId:"x"}){clientMutationId}}',
      'milestoneId of updatePullRequest',
    ],
    ['{search(query:"x",type:ISSUE,first:1){issueCount}}', 'Query.search is not available in the local forge'],
    ['{', 'Syntax Error'],
  ])('GraphQL %s: %s', async (query, why) => {
    const { exitCode, stdout, stderr } = await session.answer(['api', 'graphql', '-f', `query=${query}`])
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining(why) })
    expect(JSON.parse(stdout).errors[0].message).toContain(why)
  })

  it('a variable that the query does not declare is refused', () => {
    const { exitCode, stderr } = session.gh(['api', 'graphql', '-f', 'query={viewer{login}}', '-f', 'nmber=1'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: 'gh: Variable $nmber is not declared by the query\n' })
  })
})
