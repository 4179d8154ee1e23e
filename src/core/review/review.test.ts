import { describe, expect, it } from 'vitest'
import type { FoundText } from '../../contract/pull.ts'
import { countReverts, parseRawLog, revertsOf } from './count-reverts.ts'
import { type ChangeSize, describeRisk, judgeRisk, type RiskFacts, riskLines, sensitivePaths } from './judge-risk.ts'
import { LONGEST_WAIT_MS, weighReview } from './weigh-review.ts'

const SIZE: ChangeSize = { files: 2, lines: 40, sensitive: [], reverts: 0 }
const found = (verdict: FoundText['verdict'], text = ''): FoundText => ({ verdict, text })
const SAFE: RiskFacts = {
  size: SIZE,
  ownChecks: [],
  findings: [found('witnessed'), found('covered')],
  conflicts: 0,
}

describe('the risk of a change', () => {
  it.each<[string, Partial<RiskFacts>, number, string]>([
    ['is small for a small, witnessed and covered one', {}, 3, '+3 40 lines in 2 files'],
    ['grows with its size', { size: { ...SIZE, lines: 400, files: 12 } }, 22, '+22 400 lines in 12 files'],
    ['counts sensitive paths', { size: { ...SIZE, sensitive: ['infra/a.tf'] } }, 15, '+12 sensitive paths: infra/a.tf'],
    ['counts its own checks', { ownChecks: ['test/a.test.ts'] }, 9, '+6 changes its own checks: test/a.test.ts'],
    ['counts tests that prove nothing', { findings: [found('unproven'), found('covered')] }, 17, '+14 its tests pass'],
    [
      'takes the worst of several witnesses',
      { findings: [found('witnessed'), found('weakened'), found('covered')] },
      23,
      '+20 tests are weakened',
    ],
    [
      'counts lines that never ran by their share',
      { findings: [found('witnessed'), found('uncovered', '3 of 41 changed lines never ran')] },
      4,
      '+1 3 of 41 changed lines never ran',
    ],
    ['counts conflicts of the radar', { conflicts: 2 }, 7, '+4 conflicts with 2 other branches'],
    ['counts what was taken back', { size: { ...SIZE, reverts: 3 } }, 11, '+8 changes to its files were taken back 3'],
    ['counts an unknown witness as the worst', { findings: [found('covered')] }, 23, '+20 no witness says'],
    ['counts an unknown radar', { conflicts: null }, 8, '+5 whether it conflicts with other work is unknown'],
  ])('%s', (_what, facts, score, line) => {
    const risk = judgeRisk({ ...SAFE, ...facts })
    expect([risk.score, riskLines(risk).some((one) => one.startsWith(line))]).toEqual([score, true])
    expect(risk.terms.reduce((sum, { points }) => sum + points, 0)).toBe(score)
  })

  it('is 100 when nothing is known, and says of each fact that it is unknown', () => {
    const risk = judgeRisk({ size: null, ownChecks: null, findings: [], conflicts: null })
    expect([risk.score, risk.terms.every(({ isUnknown }) => isUnknown)]).toEqual([100, true])
  })

  it('never falls when a fact goes missing, whatever the facts are', () => {
    const sizes = [SIZE, { files: 1e6, lines: 1e9, sensitive: Array<string>(30).fill('x.pem'), reverts: 99 }]
    const verdicts = ['witnessed', 'unproven', 'weakened', 'red', 'none'] as const
    for (const size of sizes)
      for (const verdict of verdicts)
        for (const conflicts of [0, 1, 50]) {
          const facts: RiskFacts = {
            size,
            ownChecks: Array<string>(conflicts).fill('a.test.ts'),
            findings: [found(verdict), found('uncovered', '9 of 10 changed lines never ran')],
            conflicts,
          }
          const { score } = judgeRisk(facts)
          expect(score).toBeLessThanOrEqual(100)
          for (const without of [{ size: null }, { ownChecks: null }, { findings: [] }, { conflicts: null }])
            expect(judgeRisk({ ...facts, ...without }).score).toBeGreaterThanOrEqual(score)
          expect(judgeRisk({ ...facts, size: { ...size, reverts: null } }).score).toBeGreaterThanOrEqual(score)
        }
  })

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('takes a count of %s for unknown', (count) => {
    expect(judgeRisk({ ...SAFE, size: { ...SIZE, lines: count } }).score).toBe(55)
    expect(judgeRisk({ ...SAFE, conflicts: count }).score).toBe(8)
    expect(judgeRisk({ ...SAFE, size: { ...SIZE, reverts: count } }).score).toBe(13)
  })

  it('spells out what cannot be seen in the names of files, and cuts them', () => {
    const text = describeRisk(
      judgeRisk({ ...SAFE, ownChecks: ['test/\u001b[31m\u202efake.ts', `test/${'x'.repeat(500)}`] }),
    )
    expect(['\u001b', '\u202e'].some((hidden) => text.includes(hidden))).toBe(false)
    expect(text.length).toBeLessThan(300)
  })

  it.each([
    ...['auth', 'authentication', 'authorization', 'security', 'crypto', 'secrets', 'permissions', 'acl'].map(
      (name) => `src/${name}/x`,
    ),
    ...['billing', 'payment', 'payments', 'migrations', 'migrate'].map((name) => `src/${name}/x`),
    ...['infra', 'infrastructure', 'terraform', 'k8s', 'kubernetes', 'helm', 'deploy', 'ansible'].map(
      (name) => `${name}/x`,
    ),
    ...['db/schema.prisma', 'db/a.sql', 'api/a.proto', 'a.tf', 'Dockerfile.dev', 'docker-compose.yml', 'compose.yaml'],
    ...['.env.local', 'a.pem', 'a.key', 'CODEOWNERS', '.npmrc', 'package-lock.json', 'pnpm-lock.yaml', 'yarn.lock'],
    ...['Cargo.lock', 'go.sum', 'poetry.lock', 'uv.lock', 'Gemfile.lock', 'composer.lock'],
  ])('calls %s sensitive', (path) => {
    expect(sensitivePaths([path])).toEqual([path])
  })

  it.each(['src/author.ts', 'docs/deployment.md', 'src/key.ts', 'lock.txt', 'src/sql.ts', 'aclu/x'])(
    'does not call %s sensitive',
    (path) => {
      expect(sensitivePaths([path])).toEqual([])
    },
  )

  it('finds sensitive paths in any spelling, and is not slowed down by a million files', () => {
    expect(sensitivePaths(['INFRA/main.TF', 'src/Auth/login.ts', 'src/author.ts', 'own/a'], ['own/'])).toEqual([
      'INFRA/main.TF',
      'src/Auth/login.ts',
      'own/a',
    ])
    function* many() {
      for (let at = 0; at < 1_000_000; at++) yield `infra/${at}`
    }
    expect(sensitivePaths(many())).toHaveLength(20)
  })
})

describe('what was taken back', () => {
  const raw = (...commits: string[][]) =>
    commits
      .map((rows) => `\u0001\0\n${rows.map((row) => `${row}\0`).join('')}`)
      .reverse()
      .join('')
  const row = (path: string, before: string, after: string) => `:100644 100644 ${before} ${after} M\0${path}`

  it('is a file that goes back to an earlier content, whatever the commit says', () => {
    const log = parseRawLog(raw([row('a', '1', '2'), row('b', '1', '2')], [row('a', '2', '1')], [row('b', '2', '3')]))
    const counts = countReverts(log!)
    expect([...counts]).toEqual([['a', 1]])
    expect([revertsOf(counts, ['a', 'b']), revertsOf(counts, ['c'])]).toEqual([1, 0])
  })

  it('reads paths with any characters, and takes nothing else for a log', () => {
    const path = ':100644 \u0001\nRevert "x"'
    expect(parseRawLog(raw([row(path, '1', '2')]))).toEqual([{ changes: [{ path, before: '1', after: '2' }] }])
    expect(parseRawLog('fatal: no')).toBe(null)
    expect(parseRawLog('')).toEqual([])
  })
})

describe('the weight of a review', () => {
  const facts = { risk: { score: 40, minutes: 10 }, behind: [], since: 0, now: 60_000 }
  it.each([
    ['risk by minutes', {}, 4, 'nothing waits behind it: 1 × risk 40 ÷ 10 min = 4.0'],
    ['what waits behind it', { behind: ['app-2', 'app-3'] }, 12, 'app-2, app-3 wait behind it: 3 × risk 40'],
    ['an unknown risk as the worst', { risk: null }, 100 / 15, 'risk 100 (unknown)'],
    ['no clock that went backwards', { since: 1e15 }, 4, 'nothing waits behind it'],
    ['25 minutes before all that are younger', { now: 25 * 60_000 }, 1e9 + 4, 'it has waited for more than 25 minutes'],
    ['more than a day before all others', { now: LONGEST_WAIT_MS }, Number.MAX_VALUE, 'it has waited for more'],
  ])('counts %s', (_what, more, weight, why) => {
    const weighed = weighReview({ ...facts, ...more })
    expect(weighed.weight).toBeCloseTo(weight)
    expect(weighed.why).toContain(why)
  })
})
