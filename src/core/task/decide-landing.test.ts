import { describe, expect, it } from 'vitest'
import { readRecord } from '../../contract/record.ts'
import { countDiff } from '../git/count-diff.ts'
import { decideGroup, type MemberFacts, whyNotAlone } from './decide-landing.ts'

const record = (task: object) => readRecord({ task: JSON.stringify(task) })
const best = { id: 't0123abcd', kind: 'best', index: 2, of: 3 }

describe('whether a session of a shared task lands by itself', () => {
  it.each<[string, object, string | null]>([
    ['a try that nobody chose', best, 'it is one of 3 tries, and nobody has chosen it: ao choose app-2'],
    ['the chosen one', { ...best, chosen: true }, null],
    ['part of a group', { ...best, kind: 'group' }, expect.stringContaining('lands as a whole')],
    ['part of a split', { ...best, kind: 'split' }, null],
    ['a mark that is none counts as absent', { ...best, id: '../../x' }, null],
    ['an index beyond the end', { ...best, index: 4 }, null],
  ])('%s', (_, task, why) => {
    expect(whyNotAlone(record(task), 'app-2')).toEqual(why)
  })
})

const member = (session: string, more: Partial<MemberFacts> = {}): MemberFacts => ({
  session,
  state: 'open',
  isReady: true,
  detail: 'is not approved',
  ...more,
})
const landed = (session: string) => member(session, { state: 'landed', isReady: false })

describe('what a group does next', () => {
  it.each<[string, MemberFacts[], unknown]>([
    ['all are ready', [member('api-1'), member('web-1')], { act: 'merge', session: 'api-1' }],
    ['the next after the first landed', [landed('api-1'), member('web-1')], { act: 'merge', session: 'web-1' }],
    [
      'one is not ready: nothing lands',
      [member('api-1'), member('web-1', { isReady: false })],
      { act: 'wait', reason: 'web-1 is not approved' },
    ],
    [
      'the first landed and the second cannot',
      [landed('api-1'), member('web-1', { isReady: false, detail: 'fails its checks' })],
      { act: 'stop', reason: 'api-1 landed, but web-1 fails its checks' },
    ],
    [
      'one ended before anything landed',
      [member('api-1'), member('web-1', { state: 'ended', isReady: false, detail: 'was killed' })],
      { act: 'stop', reason: 'nothing of it lands: web-1 was killed' },
    ],
    ['all have landed', [landed('api-1'), landed('web-1')], { act: 'done' }],
  ])('%s', (_, members, step) => {
    expect(decideGroup(members)).toEqual(step)
  })
})

it('counts a diff by its hunks, whatever its lines look like', () => {
  const diff = [
    'diff --git a/x b/x',
    '--- a/x',
    '+++ b/x',
    '@@ -1,2 +1,3 @@',
    ' a',
    '--- b',
    '+++ c',
    '+diff --git',
    '',
  ]
  expect(countDiff(diff.join('\n'))).toEqual({ files: 1, added: 2, removed: 1 })
})
