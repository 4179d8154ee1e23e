import { describe, expect, it } from 'vitest'
import { foundText, judgeProof, type Proof, type ProofFacts, readProof } from './judge-proof.ts'

const [TREE, HEAD, COMMIT, OTHER] = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(40)) as [
  string,
  string,
  string,
  string,
]
const check = { name: 'test', run: 'npm test', status: 'passed', log: 'h1' }
const proof: Proof = {
  ...{ version: 1, tree: TREE, pull: 7, head: HEAD, session: null, agent: null, costUsd: null, issue: null },
  checks: [check],
  approvals: [{ by: 'maria', commit: HEAD, at: 't' }],
}
const FACTS: ProofFacts = {
  ...{ proof, commit: COMMIT, landedAs: COMMIT, tree: TREE, signature: { kind: 'none' }, mustSign: false },
  ...{ configured: ['test'], logOf: () => 'h1', isRecorded: () => true },
}
const judge = ({ note, ...facts }: Partial<ProofFacts> & { note?: Partial<Proof> }) =>
  judgeProof({ ...FACTS, proof: { ...proof, ...note }, ...facts })
const GOOD = ['tree: true', 'check test: true', 'approval: true']
const short = (findings: ReturnType<typeof judgeProof>) => findings.map(({ what, proven }) => `${what}: ${proven}`)

describe('a landed commit is proven', () => {
  it('by its tree, its checks and an approval, each with its reason', () => {
    expect(judge({})).toEqual([
      { what: 'tree', proven: true, why: 'it is the tree that was tested' },
      { what: 'check test', proven: true, why: 'it passed, and its log is the one that the note names' },
      { what: 'approval', proven: true, why: `maria approved ${'b'.repeat(10)}` },
    ])
  })

  it('not at all without a note', () => {
    expect(judgeProof({ ...FACTS, proof: null })).toEqual([
      { what: 'proof', proven: false, why: expect.stringContaining('no note') },
    ])
  })

  it.each<[string, Parameters<typeof judge>[0], string, boolean, RegExp]>([
    ['signed', { signature: { kind: 'good', by: 'ao', key: 'K' } }, 'signature', true, /signed by ao \(K\)/],
    ['unsigned where that is a must', { mustSign: true }, 'signature', false, /not signed/],
    [
      'signed by a stranger',
      { signature: { kind: 'stranger', key: 'K' } },
      'signature',
      false,
      /K, which is not a key that you trust/,
    ],
    ['changed after it was signed', { signature: { kind: 'broken' } }, 'signature', false, /changed afterwards/],
    ['signed in an unknown way', { signature: { kind: 'unknown', why: 'no ssh' } }, 'signature', false, /^no ssh$/],
    ['for another commit', { note: { commit: OTHER } }, 'commit', false, /written for d{10}$/],
    [
      'about another landing',
      { landedAs: OTHER },
      'commit',
      false,
      /#7 landed as this commit, but it landed as d{10}$/,
    ],
    ['about no landing', { landedAs: null }, 'commit', false, /no record shows that it did/],
    ['about another tree', { tree: OTHER }, 'tree', false, /the tree a{10}$/],
    [
      'of a check that failed',
      { note: { checks: [{ ...check, status: 'failed' }] } },
      'check test',
      false,
      /ended as failed/,
    ],
    ['without a log', { note: { checks: [{ ...check, log: null }] } }, 'check test', false, /log is gone/],
    ['with a log that is gone', { logOf: () => null }, 'check test', false, /log is gone/],
    ['with another log', { logOf: () => 'h2' }, 'check test', false, /not the one that the note names/],
    ['of another command', { runOf: () => 'true' }, 'check test', false, /ran npm test, but its record says true/],
    ['of the same command', { runOf: () => 'npm test' }, 'check test', true, /it passed/],
    [
      'of what it found',
      { note: { checks: [{ ...check, found: 'fine' }] }, foundBy: () => 'fine' },
      'check test',
      true,
      /\(fine\)$/,
    ],
    [
      'of what it did not find',
      { note: { checks: [{ ...check, found: 'fine' }] }, foundBy: () => 'bad' },
      'check test',
      false,
      /says "fine", but its record says "bad"/,
    ],
    ['of what nobody recorded', { note: { checks: [{ ...check, found: 'fine' }] } }, 'check test', true, /it passed/],
    [
      'on a forge',
      { note: { checks: [{ ...check, on: OTHER }] }, forgeSays: () => true },
      'check test',
      true,
      /passed on d{10}, which has this tree/,
    ],
    [
      'on a forge that denies it',
      { note: { checks: [{ ...check, on: OTHER }] }, forgeSays: () => false },
      'check test',
      false,
      /did not pass on d{10}$/,
    ],
    [
      'on a forge that forgot it',
      { note: { checks: [{ ...check, on: OTHER }] } },
      'check test',
      false,
      /no result on d{10}$/,
    ],
    [
      'on a forge, failed',
      { note: { checks: [{ ...check, on: OTHER, status: 'failed' }] }, forgeSays: () => true },
      'check test',
      false,
      /ended as failed/,
    ],
    ['without a check of today', { configured: ['test', 'lint'] }, 'check lint', false, /configured now/],
    [
      'of another start',
      { note: { from: OTHER }, from: HEAD },
      'change',
      false,
      /starts at d{10}, but it starts at b{10}$/,
    ],
    [
      'of other changed checks',
      { note: { changedChecks: ['b', 'a'] }, changedChecks: [] },
      'changed checks',
      false,
      /names a, b, but it changes none$/,
    ],
    [
      'of no changed checks',
      { note: { changedChecks: [] }, changedChecks: ['b', 'a'] },
      'changed checks',
      false,
      /names none, but it changes a, b$/,
    ],
    ['of rules', { note: { resolved: ['a.ts by union'] } }, 'conflict', true, /before the tests: a\.ts by union$/],
    ['of rules for another tree', { note: { resolved: ['a.ts'] }, tree: OTHER }, 'conflict', false, /before the tests/],
    ['without an approval', { note: { approvals: [] } }, 'approval', false, /nobody approved b{10}$/],
    [
      'with an approval of something else',
      { note: { approvals: [{ by: 'ken', commit: OTHER, at: 't' }] } },
      'approval',
      false,
      /nobody approved/,
    ],
    [
      'with approvals that nobody recorded',
      { note: { approvals: [...proof.approvals, { by: 'ken', commit: HEAD, at: 't' }] }, isRecorded: () => null },
      'approval',
      false,
      /names maria, ken, but no record/,
    ],
    [
      'with one approval of two',
      {
        note: { approvals: [...proof.approvals, { by: 'ken', commit: HEAD, at: 't' }] },
        isRecorded: ({ by }) => by === 'ken',
      },
      'approval',
      true,
      /^ken approved/,
    ],
  ])('by a note %s, as far as it goes', (_which, facts, what, proven, why) => {
    const findings = judge(facts)
    const [finding, ...more] = findings.filter((one) => one.what === what)
    expect(more).toEqual([])
    expect(finding).toMatchObject({ proven, why: expect.stringMatching(why) })
    const others = findings.filter((one) => one.what !== what)
    if (!facts.tree) expect(short(others)).toEqual(GOOD.filter((line) => !line.startsWith(`${what}:`)))
  })

  it.each<[string, Parameters<typeof judge>[0]]>([
    ['an older one does not say where it starts', { from: HEAD }],
    ['nobody can compute where it starts', { note: { from: OTHER } }],
    ['it starts there', { note: { from: HEAD }, from: HEAD }],
    ['an older one does not name its checks', { changedChecks: ['a'] }],
    ['nobody can compute them', { note: { changedChecks: ['a'] } }],
    ['it changes them', { note: { changedChecks: ['b', 'a'] }, changedChecks: ['a', 'b'] }],
    ['it is for this commit', { note: { commit: COMMIT } }],
  ])('by a note when %s', (_when, facts) => expect(short(judge(facts))).toEqual(GOOD))
})

describe('a note is read', () => {
  const written = (changes: object) => readProof(JSON.stringify({ ...proof, ...changes }))

  it('as it was written, with what older ones lack', () => {
    expect(written({})).toEqual({ ...proof, changedChecks: [], resolved: [] })
    expect(
      written({ changedChecks: ['a'], resolved: ['b'], commit: COMMIT, from: OTHER.repeat(1) + 'e'.repeat(24) }),
    ).toMatchObject({ changedChecks: ['a'], resolved: ['b'] })
    expect(written({ changedChecks: ['a', 1], resolved: 'b' })).toMatchObject({ changedChecks: [], resolved: [] })
  })

  it.each<[string, object]>([
    ['a newer one', { version: 2 }],
    ['a tree that is none', { tree: 'HEAD' }],
    ['no head', { head: undefined }],
    ['a head that is none', { head: `${HEAD}0` }],
    ['a number as a tree', { tree: 1 }],
    ['no pull request', { pull: 0 }],
    ['half a pull request', { pull: 1.5 }],
    ['a commit that is none', { commit: 'x' }],
    ['a start that is none', { from: null }],
    ['checks that are none', { checks: {} }],
    ['a check without a name', { checks: [{ status: 'passed' }] }],
    ['a check without an end', { checks: [{ name: 'x' }] }],
    ['nothing as a check', { checks: [null] }],
    ['approvals by nobody', { approvals: [{ commit: HEAD }] }],
    ['approvals of nothing', { approvals: [{ by: 'x' }] }],
  ])('not with %s', (_what, changes) => expect(written(changes)).toBeNull())

  it.each(['', '{', 'null', '[]', '"x"'])('not from %j', (text) => expect(readProof(text)).toBeNull())

  it('with a finding as its words', () => {
    expect(foundText({ verdict: 'weakened', text: 'fewer tests' })).toBe('weakened: fewer tests')
    expect(foundText(undefined)).toBeUndefined()
  })
})
