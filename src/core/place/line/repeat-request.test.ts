import { expect, it } from 'vitest'
import { afterReply, REPEAT_MS } from './repeat-request.ts'

const refused = (isPassing: boolean) => ({ kind: 'refused' as const, why: 'no', isPassing })
const sent = { kind: 'sent' as const, why: 'cut' }

it.each([
  ['answered', { kind: 'done' as const }, true, 0, { next: 'done' }],
  ['never sent: refused at once', refused(true), false, 0, { next: 'give-up', arrived: false, why: 'no' }],
  ['maybe sent: asked again', sent, false, 0, { next: 'repeat' }],
  ['maybe sent before, the line is away: asked again', refused(true), true, 0, { next: 'repeat' }],
  [
    'maybe sent before, its terminal is gone: unknown',
    refused(false),
    true,
    0,
    { next: 'give-up', arrived: null, why: 'no' },
  ],
  ['maybe sent, for too long: unknown', sent, true, REPEAT_MS + 1, { next: 'give-up', arrived: null, why: 'cut' }],
])('a request that was %s', (_, reply, maybeSent, elapsedMs, expected) => {
  expect(afterReply(reply, { maybeSent, elapsedMs })).toEqual(expected)
})
