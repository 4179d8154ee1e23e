// Recorded from the real agents: codex-acp 2.6.0, qwen 0.24.4, gemini 0.61.0.
import { describe, expect, it } from 'vitest'
import type { AcpUpdate } from '../../../contract/agh/events.ts'
import { besideAfter, NOTHING_BESIDE, usageOfResult } from './beside-protocol.ts'

const codex = (meta: object) => ({ sessionUpdate: 'session_info_update', _meta: { codex: meta } })
const status = (type: string) => codex({ threadStatus: { type } })
const beside = (...updates: AcpUpdate[]) => updates.reduce(besideAfter, NOTHING_BESIDE)

describe('a turn of codex-acp that came to nothing', () => {
  it('is known by the status of its thread', () => {
    expect(beside(status('active'), status('systemError')).trouble).toBe('the agent reports an error')
  })

  it('is none when the agent is working again, or only reconnects', () => {
    expect(beside(status('systemError'), status('active')).trouble).toBeNull()
    expect(beside(codex({ error: { message: 'Reconnecting... 1/1' } }), status('idle')).trouble).toBeNull()
  })
})

it('tokens of the single answers of a turn are summed up', () => {
  const chunk = (inputTokens: number) => ({
    sessionUpdate: 'agent_message_chunk',
    _meta: { usage: { inputTokens, outputTokens: 20, cachedReadTokens: 0 }, durationMs: 3 },
  })
  expect(beside(chunk(100), chunk(150)).usage).toEqual({ inputTokens: 250, outputTokens: 40, cachedReadTokens: 0 })
})

it.each([
  ['the protocol', { usage: { inputTokens: 1 } }, { inputTokens: 1 }],
  ['Gemini CLI', { _meta: { quota: { token_count: { input_tokens: 1 } } } }, { input_tokens: 1 }],
  ['codex-acp, when it failed', { usage: null, _meta: { quota: { token_count: null } } }, null],
  ['nothing', null, null],
  ['something odd', { usage: 7, _meta: [] }, null],
])('tokens of an answer: %s', (_name, result, usage) => {
  expect(usageOfResult(result)).toEqual(usage)
})

it.each([[{ _meta: null }], [{ _meta: { codex: 5, usage: 'x' } }], [{}]])('%j changes nothing', (update) => {
  expect(beside(update)).toEqual(NOTHING_BESIDE)
})
