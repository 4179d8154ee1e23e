import { describe, expect, it } from 'vitest'
import { isBranch, readValue } from './gh-values.ts'
import {
  ACT,
  type CallerKind,
  EVERYONE,
  IN_A_SESSION,
  isForEveryone,
  ORCHESTRATOR,
  OWN_SESSION,
  PERSON,
  READ,
  REVIEWER,
  type Rights,
  refuseCommand,
  refuseRequest,
} from './rights.ts'

const KINDS = ['worker', 'orchestrator', 'agent', 'reviewer'] as const
const caller = (kind: CallerKind, token: string | null = null) => ({
  kind,
  sessionId: 'app-1',
  projectId: 'app',
  token,
})

describe('inside a session', () => {
  it.each([
    ['EVERYONE', EVERYONE, ['yes', 'yes', 'yes', 'yes']],
    ['OWN_SESSION', OWN_SESSION, ['own', 'yes', 'no', 'no']],
    ['ORCHESTRATOR', ORCHESTRATOR, ['no', 'yes', 'no', 'no']],
    ['PERSON', PERSON, ['no', 'no', 'no', 'no']],
    ['REVIEWER', REVIEWER, ['no', 'no', 'no', 'yes']],
    ['IN_A_SESSION', IN_A_SESSION, ['yes', 'yes', 'no', 'no']],
    ['READ', READ, ['family', 'yes', 'family', 'no']],
    ['ACT', ACT, ['no', 'no', 'children', 'no']],
  ] as const)('%s is a right of workers, orchestrators, agents and reviewers: %j', (name, inside, expected) => {
    expect(KINDS.map((kind) => inside[kind])).toEqual(expected)
    expect(isForEveryone({ method: 'GET', path: '/', inside })).toBe(name === 'EVERYONE')
  })

  it.each<[string, CallerKind, Rights | undefined, string | undefined, string | null, RegExp | null]>([
    ['what everybody may', 'reviewer', EVERYONE, undefined, null, null],
    ['what nobody considered', 'orchestrator', undefined, undefined, null, /^ao kill is not for an orchestrator$/],
    ['what is for people', 'worker', PERSON, undefined, null, /not for the agent of a session$/],
    ['what is for others', 'reviewer', IN_A_SESSION, undefined, null, /not for a reviewer$/],
    ['its own session', 'worker', OWN_SESSION, 'app-1', null, null],
    ['another session', 'worker', OWN_SESSION, 'app-2', null, /only with its own session, app-1$/],
    ['no session', 'worker', OWN_SESSION, undefined, null, /only with its own session, app-1$/],
    ['its family, which agh knows', 'agent', READ, 'x', 'token', null],
    [
      'a family that agh does not know',
      'agent',
      READ,
      'x',
      null,
      /not for the agent of a session that agh does not run$/,
    ],
  ])('a command is for %s', (_what, kind, inside, session, token, why) => {
    const refusal = refuseCommand(caller(kind, token), { program: 'ao', command: { name: 'kill', inside }, session })
    if (why === null) expect(refusal).toBeNull()
    else expect(refusal).toMatch(why)
  })

  it.each<[string, CallerKind, Rights | undefined, string | null, string[], RegExp | null]>([
    ['for everybody', 'agent', EVERYONE, null, ['s2'], null],
    ['for nobody', 'agent', undefined, 's1', ['s1'], /^GET \/x is not for the agent of a session$/],
    ['for its own, which only ao knows', 'worker', OWN_SESSION, 's1', ['s1'], /is not for/],
    ['about itself', 'agent', READ, 's1', ['s1'], null],
    ['about its child', 'agent', READ, 's1', ['s2', 's1'], null],
    ['about a stranger', 'agent', READ, 's1', ['s3', 's2'], /^s3 is not a session that s1 has spawned$/],
    ['from nobody', 'agent', READ, null, ['s3'], /that the caller has spawned$/],
    ['that changes itself', 'agent', ACT, 's1', ['s1'], /^s1 is not a session/],
    ['that changes its grandchild', 'agent', ACT, 's1', ['s3', 's2', 's1'], null],
    ['about nothing', 'agent', ACT, 's1', [], null],
  ])('a request is answered %s', (_what, kind, inside, aghSession, ancestry, why) => {
    const refusal = refuseRequest({ kind, aghSession }, { method: 'GET', path: '/x', inside }, ancestry)
    if (why === null) expect(refusal).toBeNull()
    else expect(refusal).toMatch(why)
  })
})

describe('a value of gh', () => {
  it.each<[Parameters<typeof readValue>[0], string[], string[]]>([
    ['text', ['', 'a\nb', 'x'.repeat(30_000)], ['a\0b', 'x'.repeat(30_001)]],
    [['open', 'closed'], ['open'], ['all', '']],
    ['name', ['bug', 'good first issue', 'a:b'], ['', ' a', 'a"b', 'a,b', 'x repo:y', 'a\nb', 'x'.repeat(201)]],
    ['branch', ['main', 'feat/x', 'v1.2', '#7'.slice(1)], ['-x', 'a..b', 'a//b', 'x.lock', 'a@{1}', 'a/', 'a.', '']],
    ['own-branch', ['main'], ['-x']],
    ['count', ['1', '99999'], ['0', '-1', '100000', 'x']],
    ['id', ['1', '1234567890123456789'], ['0', '12345678901234567890']],
    ['fields', ['title', 'title,body'], ['title,', '1', 'a b']],
    ['commit', ['0123abc', 'a'.repeat(64)], ['0123ab', 'xyz1234', 'a'.repeat(65)]],
    [
      'date',
      ['2026-01-01', '>=2026-01-01', '2026-01-01..2026-02-01', '2026-01-01T10:00:00Z'],
      ['yesterday', '2026-1-1', 'x2026-01-01'],
    ],
  ])('of the kind %j is one of %j, not of %j', (kind, good, bad) => {
    expect(good.map((value) => readValue(kind, value))).toEqual(good.map((value) => [value]))
    expect(bad.map((value) => readValue(kind, value))).toEqual(bad.map(() => null))
  })

  it('in a list is each of its names', () => {
    expect(readValue('names', 'a,b c')).toEqual(['a', 'b c'])
    expect([readValue('names', 'a,'), readValue('names', 'a,x repo:y')]).toEqual([null, null])
  })

  it.each([
    ...[
      'is',
      'state',
      'draft',
      'author',
      'label',
      'assignee',
      'review',
      'review-requested',
      'reviewed-by',
      'head',
      'base',
      'in',
    ],
    ...['no', 'linked', 'status', 'mentions', 'commenter', 'involves', 'milestone', 'sort', 'type', 'comments'],
  ])('searches with %s:', (name) => {
    expect(readValue('search', `bug ${name}:x -${name}:"a b"`)).not.toBeNull()
    expect(readValue('search', `${name}:a:b`)).toBeNull()
  })

  it('searches by dates and words, and never elsewhere', () => {
    const good = [
      '',
      'bug',
      '"two words" -"not these"',
      'x'.repeat(1_000),
      ...['created', 'updated', 'closed', 'merged'].map((name) => `${name}:>2026-01-01`),
    ]
    expect(good.map((query) => readValue('search', query))).toEqual(good.map((query) => [query]))
    const bad = [
      'repo:o/r',
      'org:o',
      'user:u',
      'created:x',
      '(a)',
      'a\\b',
      'a"b',
      'x'.repeat(1_001),
      'a\nb',
      '"a" repo:x',
      'of:tomorrow',
    ]
    expect(bad.map((query) => readValue('search', query))).toEqual(bad.map(() => null))
    expect(readValue('of-tomorrow' as never, 'x')).toBeNull()
    expect([isBranch('a'.repeat(244)), isBranch('a'.repeat(245))]).toEqual([true, false])
  })
})
