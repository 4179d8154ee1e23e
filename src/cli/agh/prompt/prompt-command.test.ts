import { expect, it } from 'vitest'
import { toSessionEvent } from '../../../contract/agh/events.ts'
import { judgeOutcome } from './prompt-command.ts'

it.each([
  ['done', { stop_reason: 'end_turn' }, 0, null],
  ['done', { stop_reason: null }, 0, null],
  ['done', { stop_reason: 'refusal' }, 1, 'refused'],
  ['done', { stop_reason: 'max_tokens' }, 1, 'tokens'],
  ['done', { stop_reason: 'max_turn_requests' }, 1, 'requests'],
  ['done', { stop_reason: 'cancelled', canceled_by: 'user' }, 5, 'cancelled'],
  ['done', { stop_reason: 'cancelled', canceled_by: 'inactivity' }, 3, 'nothing happened'],
  ['error', { error: 'it broke' }, 1, null],
] as const)('a turn that ends with %s %j gives exit code %d', (type, content, exitCode, text) => {
  const outcome = judgeOutcome(
    toSessionEvent('s', { sequence: 1, turn_id: 't', type, timestamp: '', content: JSON.stringify(content) }),
  )
  expect(outcome.exitCode).toBe(exitCode)
  if (text === null) expect(outcome.message).toBeNull()
  else expect(outcome.message).toContain(text)
})

it('a turn whose end was not seen has failed', () => {
  expect(judgeOutcome(undefined)).toEqual({ exitCode: 1, message: null })
})
