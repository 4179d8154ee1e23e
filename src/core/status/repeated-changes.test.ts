import { expect, it } from 'vitest'
import type { SessionEvent, SessionEventBody } from '../../contract/events.ts'
import { withoutRepeated } from './status-of-record.ts'

/** `pr_open>ci_failed@3`: at the third second. */
const change = (text: string): SessionEvent => {
  const [, from, to, second = '0'] = /^(\w+)>(\w+)(?:@(\d+))?$/.exec(text)!
  return { type: 'status.changed', from, to, evidence: [], at: new Date(Number(second) * 1_000).toISOString() } as never
}

it.each<[string, { changes: string[]; recent: string[]; since: number | null; noted: string[] }]>([
  ['a first change', { changes: ['a>b'], recent: [], since: null, noted: ['a>b'] }],
  ['a change that the dead process noted', { changes: ['a>b'], recent: ['x>a@1', 'a>b@3'], since: 1, noted: [] }],
  ['both changes that it noted', { changes: ['b>a', 'a>b'], recent: ['a>b@1', 'b>a@5', 'a>b@5'], since: 4, noted: [] }],
  [
    'the second of two, half of which it noted',
    { changes: ['b>a', 'a>b'], recent: ['a>b@1', 'b>a@5'], since: 4, noted: ['a>b'] },
  ],
  [
    'a change that was set back from inside',
    { changes: ['b>a', 'a>b'], recent: ['a>b@1'], since: 4, noted: ['b>a', 'a>b'] },
  ],
  [
    'the same for the second time',
    { changes: ['b>a', 'a>b'], recent: ['a>b@1', 'b>a@2', 'a>b@2'], since: 4, noted: ['b>a', 'a>b'] },
  ],
  ['another change', { changes: ['b>c'], recent: ['a>b@3'], since: 3, noted: ['b>c'] }],
  ['a change in a record without a moment', { changes: ['a>b'], recent: ['a>b@3'], since: null, noted: [] }],
])('%s is in the history once', (_what, { changes, recent, since, noted }) => {
  const other = { type: 'turn.stopped', by: 'me' } as SessionEventBody
  const given = [other, ...changes.map(change)]
  const history = { recent: recent.map(change), since: since === null ? null : new Date(since * 1_000) }
  expect(withoutRepeated(given, history)).toEqual([other, ...noted.map(change)])
})
