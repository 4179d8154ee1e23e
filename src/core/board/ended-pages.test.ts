import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampleSession } from '../../../test/support/sample-session.ts'
import { DAMAGED_KEY, type Session } from '../../contract/session.ts'
import {
  BEGINNING,
  compareEnded,
  endedPosition,
  formatPosition,
  isSettled,
  pageOfEnded,
  parsePosition,
} from './ended-pages.ts'
import { describeCard, describeStored, matchesFilter, type SessionFilter } from './match-search.ts'

const place = (since: string, id: string) => ({ since, id })

describe('a session is settled', () => {
  it.each<[string, Partial<Session>, boolean, boolean]>([
    ['that was merged', { status: 'merged' }, false, true],
    ['that a command ended', { status: 'killed' }, true, true],
    ['whose agent is gone, as long as nobody looked', { status: 'killed' }, false, false],
    ['that works', { status: 'working' }, true, false],
    ['whose record is damaged', { status: 'merged', metadata: { [DAMAGED_KEY]: 'torn' } }, true, false],
    ['that a command is working on', { status: 'merged', metadata: { operation: 'cleanup' } }, true, false],
    [
      'whose pull request was closed, as its agent may run',
      { status: 'killed', metadata: { prState: 'closed' } },
      true,
      false,
    ],
    ['that is done, with a closed pull request', { status: 'done', metadata: { prState: 'closed' } }, true, true],
    ['that was killed, with a merged pull request', { status: 'killed', metadata: { prState: 'merged' } }, true, true],
  ])('%s: %j', (_which, session, byCommand, expected) => {
    expect(isSettled(sampleSession({ metadata: {}, ...session }), () => byCommand)).toBe(expected)
  })
})

it('a session ended when its status began, or was last active, or nobody knows', () => {
  const lastActivityAt = new Date('2026-03-04T11:00:00.000Z')
  const since = (metadata: Record<string, string>, at = lastActivityAt) =>
    endedPosition(sampleSession({ metadata, lastActivityAt: at }))
  expect(since({ statusSince: '2026-03-05T00:00:00.000Z' })).toEqual(place('2026-03-05T00:00:00.000Z', 'app-1'))
  expect(since({}).since).toBe('2026-03-04T11:00:00.000Z')
  expect(since({}, new Date('never')).since).toBe('1970-01-01T00:00:00.000Z')
})

describe('pages of ended sessions', () => {
  const all = [place('3', 'a'), place('2', 'b'), place('2', 'c'), place('1', 'd')]

  it('have the newest first, ids decide between equals, and each begins behind the one before', () => {
    const shuffled = [all[2]!, all[0]!, all[3]!, all[1]!]
    expect(pageOfEnded(shuffled, null, 2)).toEqual({ items: all.slice(0, 2), next: '2 b' })
    expect(pageOfEnded(shuffled, parsePosition('2 b'), 2)).toEqual({ items: all.slice(2), next: null })
    expect(pageOfEnded(shuffled, BEGINNING, 9)).toEqual({ items: all, next: null })
    expect(pageOfEnded(shuffled, all[3]!, 9)).toEqual({ items: [], next: null })
    expect(pageOfEnded(shuffled, null, 0)).toEqual({ items: [], next: null })
  })

  it('have everything once, in order, however long they are', () => {
    const one = fc.record({ since: fc.constantFrom('1', '2', '3'), id: fc.stringMatching(/^[a-f]{1,2}$/) })
    fc.assert(
      fc.property(
        fc.uniqueArray(one, { selector: formatPosition }),
        fc.integer({ min: 1, max: 4 }),
        (places, limit) => {
          const read: typeof places = []
          let after: string | null = null
          do {
            const page: ReturnType<typeof pageOfEnded<(typeof places)[number]>> = pageOfEnded(
              places,
              after ? parsePosition(after) : null,
              limit,
            )
            expect(page.items.length).toBeLessThanOrEqual(limit)
            read.push(...page.items)
            after = page.next
          } while (after !== null)
          expect(read).toEqual([...places].sort(compareEnded))
          for (const [index, next] of read.slice(1).entries()) expect(compareEnded(read[index]!, next)).toBeLessThan(0)
        },
      ),
    )
  })

  it.each(['', 'x', ' ', 'a b c', `${'9'.repeat(41)} a`, `1 ${'a'.repeat(201)}`])('do not begin at %j', (text) => {
    expect(parsePosition(text)).toBeNull()
  })
})

describe('a search', () => {
  const session = sampleSession({
    ...{ status: 'pr_open', pr: { url: 'https://x/o/r/pull/7' }, branch: 'feat/42', issueId: '#42' },
    metadata: { agent: 'codex', model: 'large', issueTitle: 'Blue Button', pr: 'https://x/o/r/pull/7' },
  })
  const stored = describeStored(session)
  const card = describeCard({
    ...{ id: 'app-1', title: 'Blue Button', projectId: 'app', agent: 'codex', model: null, branch: 'feat/42' },
    ...{ status: 'pr_open', issue: { id: '#42' }, pr: { number: 7 }, lastMessage: 'All green' },
  } as never)
  const matches = (filter: Partial<SessionFilter>, described = stored) =>
    matchesFilter({ project: '', agent: '', text: '', ...filter }, () => described)

  it.each<[Partial<SessionFilter>, boolean]>([
    [{}, true],
    [{ text: '  ' }, true],
    [{ project: 'app' }, true],
    [{ project: 'web' }, false],
    [{ agent: 'codex' }, true],
    [{ agent: 'claude-code' }, false],
    [{ project: 'app', agent: 'claude-code' }, false],
    [{ project: 'web', agent: 'codex', text: 'blue' }, false],
    [{ text: 'BLUE  button' }, true],
    [{ text: 'blue red' }, false],
    [{ text: 'app-1 feat/42 #42 #7 codex' }, true],
    [{ text: 'pr open' }, true],
    [{ text: 'pr_open' }, false],
    [{ text: 'appcodex' }, false],
  ])('for %j finds it: %j', (filter, expected) => {
    expect([matches(filter), matches(filter, card)]).toEqual([expected, expected])
  })

  it('asks for nothing when it is for nothing, and knows no pull request where there is none', () => {
    expect(matchesFilter({ project: '', agent: '', text: '' }, () => expect.fail('asked'))).toBe(true)
    const bare = sampleSession({ metadata: {}, pr: null })
    expect(describeStored(bare).agent).toBe('unknown')
    expect(describeStored(bare).text).not.toMatch(/#|null|undefined/)
    const plain = { id: 'a', title: 't', projectId: 'p', agent: 'x', status: 'done', pr: null, issue: null }
    expect(describeCard(plain as never).text).not.toMatch(/#|null|undefined/)
    expect(matches({ text: 'large' })).toBe(true)
    expect(matches({ text: 'green' }, card)).toBe(true)
  })
})
