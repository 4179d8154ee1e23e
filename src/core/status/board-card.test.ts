import { describe, expect, it } from 'vitest'
import { sampleSession } from '../../../test/support/sample-session.ts'
import type { PermissionRequest } from '../../contract/permission.ts'
import type { Session } from '../../contract/session.ts'
import { SESSION_STATUSES, type SessionStatus } from '../../contract/status.ts'
import { type CardFacts, toCard } from './board-card.ts'

const QUESTION: PermissionRequest = {
  requestId: 'r1',
  title: 'rm -r build',
  kind: 'execute',
  options: [],
  askedAt: '2026-03-04T11:00:00.000Z',
  expiresAt: '2026-03-04T12:00:00.000Z',
}

function facts(session: Partial<Session>, more: Partial<CardFacts> = {}): CardFacts {
  return {
    session: sampleSession(session),
    since: '2026-03-04T11:00:00.000Z',
    evidence: [],
    escalated: false,
    endedByCommand: false,
    permissions: [],
    canMerge: true,
    view: 'terminal',
    now: new Date('2026-03-04T11:30:00Z'),
    ...more,
  }
}

const columnFor = (given: CardFacts) => toCard(given).column

const PR = 'http://localhost/acme/app/pull/7'
function withPr(
  pr: Partial<{ state: string; ci: string; review: string; mergeable: boolean | null }> = {},
  more: Record<string, string> = {},
): Partial<Session> {
  const prFacts = { url: PR, state: 'open', ci: 'passing', review: 'none', mergeable: true, ...pr }
  return {
    status: 'pr_open',
    pr: { url: PR, number: 7 },
    metadata: { agent: 'demo', pr: PR, prFacts: JSON.stringify(prFacts), prHead: 'abc1234', prTitle: 'It', ...more },
  }
}

describe('the column', () => {
  it.each<[SessionStatus, string]>([
    ['needs_input', 'needs_you'],
    ['stuck', 'needs_you'],
    ['errored', 'needs_you'],
    ['mergeable', 'ready_to_merge'],
    ['approved', 'in_review'],
    ['review_pending', 'in_review'],
    ['pr_open', 'in_review'],
    ['ci_failed', 'working'],
    ['changes_requested', 'working'],
    ['working', 'working'],
    ['spawning', 'working'],
    ['cleanup', 'done'],
    ['terminated', 'done'],
    ['done', 'done'],
    ['merged', 'done'],
  ])('of %s is %s', (status, column) => {
    expect(columnFor(facts({ status }))).toBe(column)
  })

  it('is there for every status', () => {
    for (const status of SESSION_STATUSES) expect(columnFor(facts({ status }))).toBeTruthy()
  })

  it.each<[string, Partial<Session>, Partial<CardFacts>, string]>([
    ['an agent that asks for permission', { status: 'working' }, { permissions: [QUESTION] }, 'needs_you'],
    ['an agent that waits for words', { status: 'review_pending', activity: 'waiting_input' }, {}, 'needs_you'],
    ['an agent that met an error', { status: 'working', activity: 'blocked' }, {}, 'needs_you'],
    ['failed checks that nobody can help with', { status: 'ci_failed' }, { escalated: true }, 'needs_you'],
    ['remarks that nobody can help with', { status: 'changes_requested' }, { escalated: true }, 'needs_you'],
    ['what can be merged after all', { status: 'mergeable' }, { escalated: true }, 'ready_to_merge'],
    ['an agent that is gone', { status: 'killed', activity: 'exited' }, {}, 'needs_you'],
    ['one that a command ended', { status: 'killed', activity: 'exited' }, { endedByCommand: true }, 'done'],
    ['a question of one that has ended', { status: 'done' }, { permissions: [QUESTION] }, 'done'],
    ['an orchestrator with nothing to do', { id: 'app-orchestrator', status: 'stuck' }, {}, 'working'],
    ['an orchestrator that asks', { id: 'app-orchestrator', status: 'needs_input' }, {}, 'needs_you'],
  ])('of %s', (_what, session, more, column) => {
    expect(columnFor(facts(session, more))).toBe(column)
  })

  it('of one whose pull request was closed is done: a person decided so', () => {
    expect(columnFor(facts({ status: 'killed', metadata: { prState: 'closed' } }))).toBe('done')
  })
})

it('a question that is too long for a card says that there is more of it to read', () => {
  const question = { ...QUESTION, title: `${'x'.repeat(9_000)}; rm -r /` }
  const [shown] = toCard(facts({}, { permissions: [question] })).permissions
  expect(shown!.title.length).toBeLessThan(4_200)
  expect(shown!.title).toMatch(/\(5009 more characters: read all of it on its page first\)$/)
  expect(toCard(facts({}, { permissions: [QUESTION] })).permissions).toEqual([QUESTION])
})

describe('what may be done', () => {
  it.each<[string, Partial<Session>, object]>([
    ['a working one', {}, { send: true, kill: true, remove: false, restore: false, view: 'terminal' }],
    ['an ended one', { status: 'killed' }, { send: false, kill: false, remove: true, restore: true, view: null }],
    ['a merged one', { status: 'merged' }, { send: false, kill: false, remove: true, restore: false }],
    ['one that is gone', { activity: 'exited' }, { send: false, kill: false, restore: true }],
    [
      'one that is being ended',
      { metadata: { operation: 'kill' } },
      { send: false, kill: false, remove: false, restore: false },
    ],
    [
      'one that is being started',
      { status: 'spawning', metadata: { operation: 'spawn' } },
      { send: false, kill: true },
    ],
    [
      'one that waits for other work',
      { status: 'spawning', metadata: { waitsSince: '2026-03-04T10:00:00.000Z', blockers: 'session:app-2' } },
      { send: false, start: true, kill: true, view: null },
    ],
  ])('with %s', (_what, session, can) => {
    expect(toCard(facts(session)).can).toMatchObject(can)
  })

  it('shows the transcript of an ended one too', () => {
    expect(toCard(facts({ status: 'killed' }, { view: 'transcript' })).can.view).toBe('transcript')
  })

  it.each<[string, Partial<Session>, boolean]>([
    ['checks that passed', withPr(), true],
    ['no checks', withPr({ ci: 'none' }), true],
    ['an approval', withPr({ review: 'approved' }), true],
    ['failed checks', withPr({ ci: 'failing' }), false],
    [
      'others of its group',
      withPr({}, { task: JSON.stringify({ id: 't0123abcd', kind: 'group', index: 1, of: 2 }) }),
      false,
    ],
    ['work below it', withPr({}, { stack: JSON.stringify({ on: 'app-2' }) }), false],
    ['checks that run', withPr({ ci: 'pending' }), false],
    ['a review that is still to come', withPr({ review: 'pending' }), false],
    ['requested changes', withPr({ review: 'changes_requested' }), false],
    ['conflicts', withPr({}, { prConflicts: 'true' }), false],
    ['a head that is unknown', withPr({}, { prHead: '' }), false],
    ['facts of another pull request', withPr({}, { prFacts: JSON.stringify({ url: 'x', ci: 'passing' }) }), false],
    ['one that is closed', withPr({ state: 'closed' }), false],
    ['no pull request', {}, false],
  ])('merge with %s: %j', (_what, session, merge) => {
    expect(toCard(facts(session)).can.merge).toBe(merge)
  })

  it('names its pull request by number where it says why', () => {
    const started = { evidence: ['demo was started'] }
    const finished = toCard(facts({ status: 'working', activity: 'ready' }, started))
    expect(finished).toMatchObject({
      need: { kind: 'finished' },
      evidence: ['its turn ended, and it opened no pull request'],
    })
    expect(toCard(facts({ status: 'working', activity: 'active' }, started)).evidence).toEqual(started.evidence)
    const { evidence } = toCard(facts(withPr(), { evidence: [`pull request ${PR} is open, CI failing`] }))
    expect(evidence).toEqual(['pull request #7 is open, CI failing'])
  })

  it('no merge where the forge cannot', () => {
    expect(toCard(facts(withPr(), { canMerge: false })).can.merge).toBe(false)
  })
})

describe('the card', () => {
  it('is called as a person named it, after its issue or its prompt, never after what the agent says last', () => {
    const agentInfo = { summary: 'Adds a button', agentSessionId: null }
    expect(toCard(facts({ metadata: { issueTitle: 'A button' }, agentInfo })).title).toBe('A button')
    expect(toCard(facts({ metadata: { userPrompt: 'Make it blue\nand round' }, agentInfo })).title).toBe('Make it blue')
    expect(toCard(facts({ metadata: { pinnedSummary: 'Mine', issueTitle: 'A button' } })).title).toBe('Mine')
    // Its first prompt does not change; what it says about itself does.
    expect(toCard(facts({ agentInfo: { ...agentInfo, summaryIsFallback: true } })).title).toBe('Adds a button')
    expect(toCard(facts({ metadata: {}, agentInfo })).title).toBe('app-1')
    expect(toCard(facts({ metadata: {} })).title).toBe('app-1')
  })

  it('knows its pull request as far as the forge has reported', () => {
    expect(toCard(facts(withPr({ review: 'approved' }, { prConflicts: 'false' }))).pr).toEqual({
      url: PR,
      number: 7,
      title: 'It',
      state: 'open',
      ci: 'passing',
      review: 'approved',
      hasConflicts: false,
      headSha: 'abc1234',
    })
    expect(toCard(facts({ pr: { url: PR } })).pr).toMatchObject({ number: 7, ci: 'unknown', headSha: null })
    expect(toCard(facts({ ...withPr(), status: 'merged' })).pr?.state).toBe('merged')
  })

  it('has what checks found out about its change, while that is open', () => {
    const findings = [{ verdict: 'weakened', text: 'it weakens tests' }, null, { verdict: 1 }]
    const found = (more: object) => toCard(facts(withPr({ findings, ...more } as object))).findings
    expect(found({})).toEqual([{ verdict: 'weakened', text: 'it weakens tests' }])
    expect([found({ state: 'closed' }), found({ findings: 'x' })]).toEqual([[], []])
  })

  it('stays small, and survives dates that are none', () => {
    const agentInfo = { summary: 'x'.repeat(5000), agentSessionId: null, lastMessage: 'y'.repeat(50_000) }
    const card = toCard(facts({ agentInfo, metadata: {}, lastActivityAt: new Date('never') }))
    expect(card.title.length).toBeLessThanOrEqual(300)
    expect(card.lastMessage?.length).toBeLessThanOrEqual(600)
    expect(card.lastActivityAt).toBe('1970-01-01T00:00:00.000Z')
  })

  it('says of a session without answers that they are missing, and does not invent any', () => {
    const bare = toCard(facts({ metadata: {}, runtimeHandle: null, issueId: null, branch: null }))
    expect(bare).toMatchObject({
      ...{ agent: 'unknown', runtime: 'unknown', account: null, place: null, model: null, issue: null, task: null },
      ...{ cost: null, budget: { limitUsd: null, over: null }, limitResetsAt: null, lastMessage: null, unknown: null },
      ...{ snoozedUntil: null, changedChecks: [], meets: [], otherPulls: [], pr: null },
    })
    expect(toCard(facts({ metadata: { runtime: 'acp' }, runtimeHandle: null })).runtime).toBe('acp')
  })

  const resets = new Date('2026-03-04T13:00:00.000Z')
  const full = {
    metadata: {
      ...{ agent: 'codex', account: 'work', place: 'box', issueTitle: 'A button', overBudget: 'it has spent $5.00' },
      meets: JSON.stringify([
        { with: 'app-2', path: 'a.ts', files: 1, conflict: true },
        { with: 'app-3', path: 'b.ts', files: 2 },
      ]),
      task: JSON.stringify({ id: 't0123abcd', kind: 'group', index: 1, of: 2 }),
    },
    agentInfo: {
      ...{ summary: null, agentSessionId: null, model: 'large', limitResetsAt: resets, lastMessage: 'Hello' },
      unknown: { why: 'no answer', since: resets, place: 'box', unreachable: false },
      cost: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0, estimatedCostUsd: 0.5 },
    },
  } as Partial<Session>

  it('has what is known of a session at work, and of one that ended only what stays', () => {
    const card = toCard(facts(full, { limitUsd: 5, permissions: [QUESTION] }))
    expect(card).toMatchObject({
      ...{ agent: 'codex', account: 'work', place: 'box', model: 'large', runtime: 'tmux', lastMessage: 'Hello' },
      ...{ issue: { id: '42', title: 'A button' }, budget: { limitUsd: 5, over: 'it has spent $5.00' } },
      ...{ limitResetsAt: resets.toISOString(), unknown: { why: 'no answer', since: resets.toISOString() } },
      ...{ task: { id: 't0123abcd', kind: 'group' }, permissions: [QUESTION], cost: { estimatedCostUsd: 0.5 } },
      meets: [
        { with: 'app-2', path: 'a.ts', files: 1, conflict: true },
        { with: 'app-3', path: 'b.ts', files: 2, conflict: false },
      ],
      createdAt: '2026-03-04T10:00:00.000Z',
    })
    expect(toCard(facts({ ...full, status: 'killed' }, { permissions: [QUESTION] }))).toMatchObject({
      ...{ limitResetsAt: null, unknown: null, permissions: [], meets: [], agent: 'codex' },
    })
  })

  it('knows the other pull requests of a session, and the checks that this very head changes', () => {
    const other = { url: 'http://localhost/acme/app/pull/5', state: 'open', ci: 'failing', review: 'none' }
    const changed = (head: string) => ({ changedChecks: JSON.stringify({ head, paths: ['.github/ci.yml'] }) })
    const others = JSON.stringify([
      { ...other, mergeable: true, head: 'def' },
      { ...other, url: 'x', title: 'T', mergeable: null },
    ])
    const card = toCard(facts(withPr({}, { otherPulls: others, ...changed('abc1234') })))
    expect(card.otherPulls).toEqual([
      { ...other, number: 5, title: null, hasConflicts: false, headSha: 'def' },
      { ...other, url: 'x', number: null, title: 'T', hasConflicts: null, headSha: null },
    ])
    expect(card.changedChecks).toEqual(['.github/ci.yml'])
    expect(toCard(facts(withPr({}, changed('older')))).changedChecks).toEqual([])
    expect(toCard(facts(withPr({ state: 'closed' }, changed('abc1234')))).changedChecks).toEqual([])
  })

  it('is put off for the need that it was put off for', () => {
    const snoozed = (need: string, until: string) =>
      toCard(facts({ status: 'needs_input', metadata: { snoozedNeed: need, snoozedUntil: until } }))
    const need = toCard(facts({ status: 'needs_input' })).need!.kind
    const later = '2026-03-04T12:00:00.000Z'
    expect(snoozed(need, later)).toMatchObject({ column: 'working', snoozedUntil: later })
    expect(snoozed(need, '2026-03-04T11:00:00.000Z').column).toBe('needs_you')
    expect(snoozed('finished', later)).toMatchObject({ column: 'needs_you', snoozedUntil: null })
  })

  it('is at work again when it left the train', () => {
    const left = { ...withPr({ review: 'approved', left: 'red' } as object), status: 'approved' } as const
    expect(columnFor(facts(left))).toBe('working')
  })

  it('cuts a question only when it is too long', () => {
    const shown = (length: number) =>
      toCard(facts({}, { permissions: [{ ...QUESTION, title: 'x'.repeat(length) }] })).permissions[0]!.title
    expect(shown(4_000)).toBe('x'.repeat(4_000))
    expect(shown(4_001)).toMatch(/^x{4000}… \(1 more characters/)
  })
})
