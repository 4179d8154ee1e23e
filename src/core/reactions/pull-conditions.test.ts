import { describe, expect, it } from 'vitest'
import { sampleNews, samplePull } from '../../../test/support/sample-pull.ts'
import { ANY_FORGE } from '../../contract/forges.ts'
import type { Condition } from '../../contract/reactions.ts'
import { brokenBaseMessage } from './messages.ts'
import { type ConditionFacts, hasLapsed, ofPull, overWith } from './pull-conditions.ts'
import { departureOf, type LandingFailure, type PullNews, type RemarkView, reportedChecks } from './pull-news.ts'
import { hasMoved } from './work-progress.ts'

const FACTS: ConditionFacts = {
  ...{ sessionId: 'app-1', status: 'pr_open', launch: 1, activity: null, pulls: [], question: null, finished: null },
  ...{ sharedFailures: [], handIn: ANY_FORGE, baseBranch: 'main', collisions: null, told: {}, heard: {}, now: 1_000 },
}
const HEAD = 'a1b2c3d4e5f6'
const check = (name: string, logTail = '', url: string | null = null) => ({ name, url, logTail })
const remark = (id: string, more: Partial<RemarkView> = {}): RemarkView => ({
  ...{ id, author: 'ann', isBot: false, body: 'Say why', path: null, line: null },
  ...more,
})
const news = ({ pull, ...more }: Omit<Partial<PullNews>, 'pull'> & { pull?: Parameters<typeof samplePull>[0] }) =>
  sampleNews({ pull: samplePull({ headSha: HEAD, review: 'pending', ...pull }), ...more })
const found = (one: PullNews, facts: Partial<ConditionFacts> = {}): Condition[] =>
  ofPull({ ...FACTS, pulls: [one], ...facts }, one).filter((condition) => condition !== null)
const URL = samplePull().pr.url
const red = (...names: string[]) => news({ pull: { ci: 'failing' }, failedChecks: names.map((name) => check(name)) })
const open = (...remarks: RemarkView[]) => news({ remarks })

describe('a pull request calls for', () => {
  it.each<[string, PullNews, Partial<ConditionFacts>, Array<Partial<Condition>>]>([
    ['nothing while it is fine', news({}), {}, []],
    [
      'nothing once it is merged',
      news({ pull: { state: 'merged', ci: 'failing' }, failedChecks: [check('x')] }),
      {},
      [],
    ],
    [
      'a word when it was closed',
      news({ pull: { state: 'closed' } }),
      {},
      [{ key: 'pr-closed', fingerprint: URL, summary: `its pull request ${URL} was closed without merging` }],
    ],
    ['none when another one of it was merged', news({ pull: { state: 'closed' } }), { status: 'merged' }, []],
    [
      'repair of its checks',
      red('unit tests', 'lint'),
      {},
      [
        {
          key: 'ci-failed',
          fingerprint: `${HEAD} lint unit%20tests`,
          summary: 'CI fails: lint, unit tests',
          pull: URL,
        },
      ],
    ],
    [
      'repair of checks beside those that were told before',
      red('lint'),
      { told: { 'ci-failed': `${HEAD} build` } },
      [{ fingerprint: `${HEAD} build lint` }],
    ],
    [
      'repair of checks of another commit',
      red('lint'),
      { told: { 'ci-failed': 'older build' } },
      [{ fingerprint: `${HEAD} lint` }],
    ],
    ['no repair of what fails everywhere', red('lint'), { sharedFailures: ['lint'] }, []],
    ['no repair while checks run again', news({ pull: { ci: 'pending' }, failedChecks: [check('lint')] }), {}, []],
    [
      'an answer to people',
      open(remark('c2'), remark('c1', { author: 'ken' })),
      { told: { 'changes-requested': 'c0' } },
      [{ key: 'changes-requested', fingerprint: 'c0 c1 c2', summary: '2 open remarks by ann, ken' }],
    ],
    ['an answer to one', open(remark('c1')), {}, [{ summary: '1 open remark by ann' }]],
    ['an answer to bots', open(remark('b1', { isBot: true })), {}, [{ key: 'bugbot-comments', fingerprint: 'b1' }]],
    [
      'changes without a remark',
      news({ pull: { review: 'changes_requested' } }),
      { told: { 'changes-requested': 'verdict-6' } },
      [{ key: 'changes-requested', fingerprint: 'verdict-6 verdict-7', summary: 'a reviewer asks for changes' }],
    ],
    [
      'changes by their names',
      news({ pull: { review: 'changes_requested' }, requests: ['r9'] }),
      {},
      [{ fingerprint: 'r9' }],
    ],
    [
      'a rebase',
      news({ pull: { hasConflicts: true } }),
      {},
      [{ key: 'merge-conflicts', fingerprint: `${HEAD} conflicts`, summary: 'it conflicts with main' }],
    ],
    [
      'a rebase onto its own base',
      news({ pull: { hasConflicts: true, pr: { baseBranch: 'next' } } }),
      {},
      [{ summary: 'it conflicts with next' }],
    ],
    ['no rebase while the train sees to it', news({ pull: { hasConflicts: true }, isAboard: true }), {}, []],
    ['no rebase while nobody knows', news({ pull: { hasConflicts: null } }), {}, []],
    [
      'one rebase when it also left the train for it',
      news({ pull: { hasConflicts: true }, landing: { why: 'conflict', files: [] } }),
      {},
      [{ key: 'landing-failed', fingerprint: `${HEAD} conflict` }],
    ],
    [
      'a review of this head and base',
      news({ reviewable: true }),
      {},
      [
        {
          key: 'review',
          action: 'review',
          headSha: HEAD,
          fingerprint: `${HEAD} main`,
          summary: '#7 is ready for a review',
        },
      ],
    ],
    [
      'another review of this head where the base took in part of it',
      news({ reviewable: true, reviewFrom: 'f'.repeat(40), isReviewOutdated: true }),
      {},
      [{ key: 'review', action: 'review', fingerprint: `${HEAD} main ${'f'.repeat(40)}` }],
    ],
    [
      'a person when it did and nobody starts reviewers',
      news({
        reviewed: { reviewer: 'bot', head: HEAD, failed: null, findings: [] } as never,
        reviewFrom: 'f',
        isReviewOutdated: true,
      }),
      {},
      [
        {
          key: 'review-findings',
          action: 'notify',
          fingerprint: 'bot outdated f',
          summary:
            'main took in part of #7 since bot reviewed it, and its gate waits for a review of the rest: ao review start app-1',
        },
      ],
    ],
    [
      'a person when a review came to nothing',
      news({ reviewed: { reviewer: 'bot', head: HEAD, failed: 'it crashed', findings: [] } as never }),
      {},
      [
        {
          key: 'review-findings',
          action: 'notify',
          fingerprint: 'bot failed',
          summary: 'the review of #7 by bot came to nothing: it crashed',
        },
      ],
    ],
    [
      'nothing when a review found nothing',
      news({ reviewed: { reviewer: 'bot', head: HEAD, failed: null, findings: [] } as never }),
      {},
      [],
    ],
    [
      'a merge',
      news({ pull: { review: 'approved' } }),
      { status: 'mergeable' },
      [{ key: 'approved-and-green', fingerprint: HEAD, headSha: HEAD, summary: `${URL} is approved and green` }],
    ],
    ['no merge as long as its session is not there', news({ pull: { review: 'approved' } }), { status: 'working' }, []],
  ])('%s', (_what, one, facts, expected) => {
    const conditions = found(one, facts)
    expect(conditions).toHaveLength(expected.length)
    expect(conditions).toMatchObject(expected)
  })

  it.each<[LandingFailure, string, string, RegExp]>([
    [
      { why: 'red', check: 'unit tests', commit: 'c0ffee', ahead: [], logTail: ' ' },
      `${HEAD} unit%20tests c0ffee`,
      'unit tests fails',
      /with main as it is now, the check unit tests fails\.[^~]*git checkout --detach c0ffee[^~]*$/,
    ],
    [
      { why: 'red', check: 'lint', commit: 'c0ffee', ahead: [4, 5], byRules: 'a.ts has\nboth', logTail: 'boom' },
      `${HEAD} lint c0ffee`,
      'lint fails behind #4, #5',
      /together with #4, #5, the check lint fails\.[\s\S]*may be the cause: a\.ts has both\n[\s\S]*boom/,
    ],
    [
      { why: 'conflict', files: ['a.ts', 'b.ts'], said: 'no\nrule', onto: { commit: 'c0ffee', pulls: [] } },
      `${HEAD} conflict`,
      'it conflicts with main',
      /main as it is now:\n\n- a\.ts\n- b\.ts\n\nThe rules[^\n]*: no rule\n\nRebase[^\n]*git rebase c0ffee\. If git does not know/,
    ],
    [
      { why: 'conflict', files: ['a.ts'], onto: { commit: 'c0ffee', pulls: [4, 5] } },
      `${HEAD} conflict c0ffee`,
      'it conflicts with #4, #5 ahead of it',
      /conflicts with #4, #5, which passed all checks[^~]*- a\.ts\n\nRebase[^\n]*git rebase c0ffee\. It holds main and #4, #5\./,
    ],
    [
      { why: 'stranded', commit: 'c0ffee', pulls: [4, 5] },
      `${HEAD} stranded`,
      'it is built on #4, #5, which will not land as it was',
      /has #4, #5 in it[\s\S]*git rebase --onto main c0ffee/,
    ],
    [
      { why: 'refused', said: 'a rule says no' },
      `${HEAD} refused`,
      'the forge does not merge it: a rule says no',
      /did not merge it[\s\S]*a rule says no[\s\S]*boards again/,
    ],
  ])('another try after it left the train: %j', (landing, fingerprint, why, message) => {
    const [only, ...more] = found(news({ landing }))
    expect(more).toEqual([])
    expect(only).toMatchObject({ key: 'landing-failed', fingerprint, summary: `#7 left the train: ${why}` })
    expect(only!.message).toMatch(message)
    expect(departureOf(landing, 'main')).toBe(why)
  })

  it('a merge of one among several, whichever the session is about', () => {
    const ready = news({ pull: { review: 'approved' } })
    const several = { pulls: [ready, news({ pull: { pr: { number: 8 } } })] }
    expect(found(ready, { ...several, status: 'ci_failed' })).toMatchObject([{ key: 'approved-and-green' }])
    expect(found(ready, { ...several, status: 'stuck' })).toEqual([])
  })

  it('reactions of its own, named by its number, when it is not the first', () => {
    const further = { ...red('lint'), isFurther: true }
    const [only] = found(further, { pulls: [further, news({})], heard: { [`ci-failed ${URL}`]: `${HEAD} lint` } })
    expect(only).toMatchObject({ memory: `ci-failed ${URL}`, summary: '#7: CI fails: lint' })
  })
})

describe('its agent is told', () => {
  it('the checks that it has not heard of, with the ends of their logs, or all again', () => {
    const one = news({
      pull: { ci: 'failing' },
      failedChecks: [check('old', 'known'), check('new', 'x'.repeat(6_001), 'https://ci/1'), check('mute', '\n')],
    })
    const heard = { 'ci-failed': `${HEAD} old` }
    const [{ message }] = found(one, { heard }) as [Condition]
    expect(message).toMatch(
      /^CI failed on your pull request #7 at commit a1b2c3d4e5\.\n\n### new \(https:\/\/ci\/1\)\n/,
    )
    expect(message).toContain(`… (1 characters before)\n${'x'.repeat(6_000)}`)
    expect(message).toContain('### mute\nNo log is available.')
    expect(message).not.toContain('known')
    expect(found(one, { heard: { 'ci-failed': `${HEAD} mute new old` } })[0]!.message).toContain('known')
  })

  it('only the remarks that it has not heard', () => {
    const [{ message }] = found(open(remark('c1', { body: 'first' }), remark('c2', { body: 'second' })), {
      heard: { 'changes-requested': 'c1' },
    }) as [Condition]
    expect([message.includes('first'), message.includes('second')]).toEqual([false, true])
  })

  it('that there was no remark', () => {
    const [{ message }] = found(news({ pull: { review: 'changes_requested' } })) as [Condition]
    expect(message).toContain('They left no comment')
  })

  it.each([
    [1, 'bot has 1 finding in #7', 'has one finding.'],
    [2, 'bot has 2 findings in #7', 'has 2 findings.'],
  ])('the findings of a review: %i', (count, summary, phrase) => {
    const findings = Array.from({ length: count }, () => ({
      severity: 'high',
      text: 'It leaks',
      file: 'a.ts',
      line: 3,
    }))
    const reviewed = { reviewer: 'bot', head: HEAD, failed: null, findings } as never
    const [only] = found(news({ reviewed })) as [Condition]
    expect(only).toMatchObject({ key: 'review-findings', fingerprint: 'bot', summary })
    expect(only.message).toContain(phrase)
    expect(only.message).toMatch(/1\. high, a\.ts:3:\n[\s\S]*It leaks/)
  })

  it('that the base broke with its change', () => {
    const broken = { number: 7, commit: 'c0ffee', check: 'lint', baseBranch: 'main' }
    expect(brokenBaseMessage({ ...broken, logTail: 'boom' })).toMatch(
      /#7 landed on main as c0ffee[\s\S]*boom[\s\S]*git checkout --detach c0ffee/,
    )
    expect(brokenBaseMessage({ ...broken, logTail: ' ' }).split('\n\n')).toHaveLength(2)
  })
})

describe('what is certainly over about it', () => {
  it.each<[string, PullNews, Partial<ConditionFacts>, string[]]>([
    [
      'when it is fine',
      news({}),
      {},
      ['ci-failed', 'changes-requested', 'bugbot-comments', 'merge-conflicts', 'approved-and-green', 'pr-closed'],
    ],
    [
      'when it is in trouble',
      news({
        pull: { ci: 'failing', review: 'changes_requested', hasConflicts: true },
        remarks: [remark('b', { isBot: true })],
      }),
      {},
      ['approved-and-green', 'pr-closed'],
    ],
    [
      'when people remark',
      news({ pull: { ci: 'pending' }, remarks: [remark('c')] }),
      {},
      ['bugbot-comments', 'approved-and-green', 'pr-closed'],
    ],
    [
      'without checks, aboard',
      news({ pull: { ci: 'none' }, isAboard: true }),
      {},
      ['ci-failed', 'changes-requested', 'bugbot-comments', 'approved-and-green', 'pr-closed'],
    ],
    [
      'when it can be merged',
      news({ pull: { review: 'approved' } }),
      { status: 'mergeable' },
      ['ci-failed', 'changes-requested', 'bugbot-comments', 'merge-conflicts', 'pr-closed'],
    ],
    [
      'when it was closed',
      news({ pull: { state: 'closed', ci: 'failing', hasConflicts: null }, remarks: [remark('c')] }),
      {},
      ['bugbot-comments', 'approved-and-green'],
    ],
    [
      'when it is merged',
      news({ pull: { state: 'merged', ci: 'failing' } }),
      {},
      [
        'ci-failed',
        'changes-requested',
        'bugbot-comments',
        'merge-conflicts',
        'landing-failed',
        'review',
        'review-findings',
        'approved-and-green',
        'pr-closed',
      ],
    ],
  ])('%s', (_when, one, facts, over) => {
    expect(overWith({ ...FACTS, pulls: [one], ...facts }, one)).toEqual(over)
  })

  it.each<[string, Partial<PullNews['pull']>, boolean]>([
    ['while its checks run', { ci: 'pending' }, true],
    ['while they fail', { ci: 'failing' }, true],
    ['with no checks and no approval', { ci: 'none' }, true],
    ['with no checks, but approved', { ci: 'none', review: 'approved' }, false],
    ['when they pass', { ci: 'passing' }, false],
    ['while it conflicts', { ci: 'pending', hasConflicts: true }, false],
    ['while nobody can say whether it conflicts', { ci: 'pending', hasConflicts: null }, false],
  ])('%s, a head without conflicts has proven nothing yet: %s', (_when, pull, expected) => {
    expect(hasLapsed(news({ pull }))).toBe(expected)
  })

  it('a conflict names the heads that were reported before, so that a return to one of them is nothing new', () => {
    const of = (told: string) =>
      ofPull({ ...FACTS, told: { 'merge-conflicts': told } }, news({ pull: { hasConflicts: true } })).find(
        (one) => one?.key === 'merge-conflicts',
      )?.fingerprint
    expect(of('')).toBe(`${HEAD} conflicts`)
    expect(of('older conflicts')).toBe(`older ${HEAD} conflicts`)
    expect(of(`${HEAD} newer conflicts`)).toBe(`${HEAD} newer conflicts`)
  })
})

it('checks were reported of a commit, not of another', () => {
  expect(reportedChecks('abc one two', 'abc')).toEqual(['one', 'two'])
  expect(reportedChecks('abc one', 'def')).toEqual([])
  expect(reportedChecks(undefined, 'abc')).toEqual([])
})

it.each([
  ['a commit', { head: 'a' }, { head: 'b' }, true],
  ['a pull request', { pr: 'a' }, { pr: 'b' }, true],
  ['a person', { attendedAt: 'a' }, { attendedAt: 'b' }, true],
  ['nothing', { head: 'a', pr: 'p' }, { head: 'a', pr: 'p' }, false],
  ['what was unknown', {}, { head: 'b' }, false],
  ['what is unknown', { head: 'a' }, {}, false],
])('work moves with %s', (_what, before, now, expected) => {
  expect(hasMoved(before as never, now as never)).toBe(expected)
})
