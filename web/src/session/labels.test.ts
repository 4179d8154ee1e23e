import { expect, it } from 'vitest'
import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'
import { statusLook } from './labels.ts'

const need = (change: Partial<NonNullable<SessionCard['need']>>): SessionCard['need'] => ({
  kind: 'error',
  matter: '',
  cause: null,
  since: '2026-03-04T11:00:00.000Z',
  deadline: null,
  acts: [],
  requestId: null,
  ...change,
})

it.each<[string, Pick<SessionCard, 'status' | 'need'> & { waits?: string; paused?: SessionCard['paused'] }]>([
  ['Waiting', { status: 'spawning', need: null, waits: 'waits for app-1' }],
  ['Starting', { status: 'spawning', need: null }],
  ['Working', { status: 'working', need: null }],
  ['Finished', { status: 'working', need: need({ kind: 'finished' }) }],
  ['Killed', { status: 'killed', need: null }],
  ['Paused', { status: 'working', need: null, paused: { since: '', why: '', resumes: '' } }],
  ['Approved', { status: 'approved', need: null, paused: { since: '', why: '', resumes: '' } }],
  ['Ended', { status: 'killed', need: need({ cause: 'ended' }) }],
  ['Over budget', { status: 'killed', need: need({ cause: 'budget' }) }],
  ['Failed', { status: 'errored', need: need({ cause: 'ended' }) }],
])('the badge of a session says %s, as its card does: %j', (word, card) => {
  expect(statusLook({ waits: null, ...card }).word).toBe(word)
})
