import { describe, expect, it } from 'vitest'
import { API_INSTEAD, type ApiRead, readApi } from './gh-api.ts'

const repository = { host: 'github.com', owner: 'Acme', name: 'App' }
const read = (route: string, ...given: Array<[name: string, value: string]>) =>
  readApi({ route, repository, branch: 'feat/x', given: given.map(([name, value]) => ({ name, value })) })
const pathOf = (answer: ApiRead | string) => (typeof answer === 'string' ? answer : answer.path)

const ROUTES = [
  ...[
    '',
    'pulls',
    'pulls/7',
    'pulls/7/comments',
    'pulls/7/commits',
    'pulls/7/files',
    'pulls/7/reviews',
    'labels',
    'tags',
  ],
  ...[
    'pulls/7/requested_reviewers',
    'pulls/7/reviews/1',
    'pulls/7/reviews/1/comments',
    'pulls/comments',
    'pulls/comments/1',
  ],
  ...[
    'issues',
    'issues/7',
    'issues/7/comments',
    'issues/7/labels',
    'issues/7/events',
    'issues/7/timeline',
    'issues/comments/1',
  ],
  ...[
    'milestones',
    'branches',
    'branches/main',
    'releases',
    'releases/latest',
    'commits',
    'commits/abc',
    'commits/abc/status',
  ],
  ...[
    'commits/abc/statuses',
    'commits/abc/check-runs',
    'commits/abc/check-suites',
    'commits/abc/pulls',
    'commits/abc/comments',
  ],
  ...['compare/main...feat', 'check-runs/1', 'check-runs/1/annotations', 'check-suites/1/check-runs', 'actions/runs'],
  ...[
    'actions/runs/1',
    'actions/runs/1/jobs',
    'actions/jobs/1',
    'actions/jobs/1/logs',
    'actions/workflows',
    'contents',
  ],
  ...['contents/src/a.ts', 'readme', 'git/ref/heads/main', 'git/commits/abc'],
]

describe('gh api reads, below its own repository,', () => {
  it.each(ROUTES)('%j', (route) => {
    const below = route === '' ? '' : `/${route}`
    expect(read(`repos/acme/app${below}`)).toEqual({ path: `repos/Acme/App${below}`, accept: null, only: null })
    expect(pathOf(read(`/repos/{owner}/{repo}${below}`))).toBe(`repos/Acme/App${below}`)
    expect(pathOf(read(`repos/:owner/:repo${below}`))).toBe(`repos/Acme/App${below}`)
  })

  it.each<[string, string]>([
    ['branches/{branch}', 'branches/feat/x'],
    ['commits/:branch/status', 'commits/feat/x/status'],
    ['contents/a b/c#d.txt', 'contents/a%20b/c%23d.txt'],
    ['pulls?state=all&per_page=5', 'pulls?state=all&per_page=5'],
    ['pulls?', 'pulls'],
    ['issues?labels=a%20b+c', 'issues?labels=a%20b%20c'],
  ])('%s as %s', (route, path) => expect(pathOf(read(`repos/acme/app/${route}`))).toBe(`repos/Acme/App/${path}`))

  it('with parameters given as fields, when it is said that they are read', () => {
    const method: [string, string] = ['method', 'get']
    expect(pathOf(read('repos/acme/app/pulls', method, ['field', 'head=a=b'], ['raw-field', 'page=2']))).toBe(
      'repos/Acme/App/pulls?head=a%3Db&page=2',
    )
    expect(read('repos/acme/app/pulls', ['field', 'page=2'])).toBe(API_INSTEAD)
    expect(pathOf(read('repos/acme/app/pulls', ['method', 'POST'], method))).toBe('repos/Acme/App/pulls')
  })

  it.each([
    ...[
      'per_page',
      'page',
      'state',
      'sort',
      'direction',
      'base',
      'head',
      'sha',
      'ref',
      'path',
      'labels',
      'since',
      'until',
    ],
    ...['filter', 'branch', 'event', 'status', 'check_name', 'milestone', 'assignee', 'creator', 'mentioned', 'author'],
    ...['head_sha', 'created', 'actor', 'protected'],
  ])('with the parameter %s', (name) => expect(pathOf(read(`repos/acme/app/issues?${name}=1`))).toContain(`?${name}=1`))

  it('in the form that is asked for', () => {
    const accept = (...values: string[]) =>
      read('repos/acme/app/pulls/7', ...values.map((value): [string, string] => ['header', value]))
    expect(accept('Accept: application/vnd.github.v3.diff')).toMatchObject({ accept: 'application/vnd.github.v3.diff' })
    expect(accept(' X-GitHub-Api-Version: 2022-11-28 ', 'accept:application/json')).toMatchObject({
      accept: 'application/json',
    })
    expect(accept('Authorization: token x')).toBe('the header Authorization: token x is not sent from a place')
    expect(accept(`X: ${'y'.repeat(90)}`)).toBe(`the header X: ${'y'.repeat(57)} is not sent from a place`)
    expect(read('user')).toEqual({ path: 'user', accept: null, only: ['login'] })
    expect(read('/user')).toMatchObject({ path: 'user' })
  })
})

describe('gh api does not', () => {
  it.each([
    ...[
      'repos/acme/other',
      'repos/evil/app',
      'repos/acme',
      'orgs/acme',
      'graphql',
      'users/x',
      'repos/acme/app/hooks',
      '',
    ],
    ...[
      'repos/acme/app/pulls/0',
      'repos/acme/app/pulls/7/merge',
      'repos/acme/app/contents/../../x',
      'repos/acme/app/contents/./x',
    ],
    ...[
      'repos/acme/app/commits/-x',
      'repos/acme/app/branches/a%2Fb',
      'repos/acme/app/pulls?x?y',
      'repos/acme/app/pulls/7/',
    ],
    ...['https://api.github.com/repos/acme/app', 'repos/acme/app/actions/secrets', 'repos/acme/app/compare/main..feat'],
  ])('answer %j', (route) => expect(read(route)).toBe(API_INSTEAD))

  it.each(['POST', 'patch', 'DELETE', 'PUT', ''])('change anything with %j', (method) => {
    expect(read('repos/acme/app/pulls/7', ['method', method])).toBe(API_INSTEAD)
  })

  it.each<[string, RegExp]>([
    ['pulls?page', /name=value/],
    ['pulls?=1', /name=value/],
    ['pulls?page=%zz', /name=value/],
    ['pulls?page=%ff', /name=value/],
    ['pulls?secret=1', /^the parameter secret of gh api is not answered/],
    [`pulls?${'x'.repeat(90)}=1`, /^the parameter x{60} of/],
    ['pulls?head=@/etc/passwd', /^the value of head is not valid here$/],
    ['pulls?head=a%00b', /not valid/],
    [`pulls?head=${'x'.repeat(501)}`, /not valid/],
  ])('take %s', (route, why) => expect(read(`repos/acme/app/${route}`)).toMatch(why))

  it('cut a value that just fits', () => {
    expect(pathOf(read(`repos/acme/app/pulls?head=${'x'.repeat(500)}`))).toMatch(/x{500}$/)
  })
})
