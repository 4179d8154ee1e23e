// Records as Claude Code 2.1.325 wrote them.
import { expect, it } from 'vitest'
import { lastHookTurn, lastTranscriptEvent } from './turn-events.ts'

const at = new Date('2026-11-15T01:00:00.000Z')
const failure = (payload: object) =>
  lastHookTurn([{ at, agent: 'claude-code', event: 'StopFailure', payload: payload as Record<string, never> }])
const SAID = 'API Error: Request rejected (429) · Rate limited'

it('a failed turn carries the words that Claude shows', () => {
  expect(failure({ error: 'rate_limit', last_assistant_message: SAID })).toMatchObject({
    kind: 'failed',
    evidence: `hook StopFailure: rate_limit: ${SAID}`,
  })
  const record = { type: 'assistant', isApiErrorMessage: true, error: 'rate_limit', timestamp: at.toISOString() }
  const message = { content: [{ type: 'text', text: SAID }] }
  expect(lastTranscriptEvent([{ ...record, message }])?.evidence).toContain(`rate_limit: ${SAID}`)
})

it('long words are cut, and missing ones are not invented', () => {
  expect(failure({ error: 'x', last_assistant_message: 'y'.repeat(5_000) })!.evidence.length).toBeLessThan(400)
  expect(failure({ error: 'x' })?.evidence).toBe('hook StopFailure: x')
  expect(failure({})?.evidence).toBe('hook StopFailure: unknown error')
  expect(failure({ error: 'x', agent_id: 'a sub-agent' })).toBeNull()
})
