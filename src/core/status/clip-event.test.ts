import { expect, it } from 'vitest'
import type { SessionEvent } from '../../contract/events.ts'
import { toPageEvent } from './clip-event.ts'

const queued = { type: 'message.queued', messageId: 'm', source: 'user', seq: 1, at: 't', sessionId: 'app-1' } as const

it('a page gets of a long text its beginning, and how much more there is', () => {
  const page = (length: number) => toPageEvent({ ...queued, text: 'x'.repeat(length) } as SessionEvent)
  expect(page(16_000)).toMatchObject({ text: 'x'.repeat(16_000), seq: 1 })
  expect(page(16_003)).toMatchObject({ text: `${'x'.repeat(16_000)}… (3 characters more)` })
  const opening = 'message from user: '
  expect(page(2_000 - opening.length)).toMatchObject({ words: opening + 'x'.repeat(2_000 - opening.length) })
  expect(page(2_000)).toMatchObject({
    words: `${opening}${'x'.repeat(2_000 - opening.length)}… (${opening.length} characters more)`,
  })
})
