// Recorded from the real agents: codex-acp 2.6.0, qwen 0.24.4, gemini 0.61.0, copilot 1.0.102.
import { describe, expect, it } from 'vitest'
import type { AcpUpdate } from '../../../contract/agh/events.ts'
import { besideAfter, NOTHING_BESIDE } from './turn.ts'
import { troubleOf, usageOfResult, usageOfTurn } from './turn-end.ts'

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

describe('Copilot CLI', () => {
  const says = (text: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
  const used = { sessionUpdate: 'usage_update', used: 8934, size: 128_000 }
  const retries = says('Info: Request failed due to a transient API error. Retrying...')
  const failed = says(
    'Error: Authentication failed with provider at http://127.0.0.1:1/v1 (HTTP 401).\n  Check your key.',
  )

  it('a turn whose last words are an error has failed, though it is reported as ended', () => {
    const wording = troubleOf(beside(used, retries, used, retries, used, failed), 'Copilot')
    expect(wording).toMatch(/^Authentication failed .* \(HTTP 401\)/)
  })

  it.each([
    ['it continued', [failed, says('ok')], 'Copilot'],
    ['it used a tool afterwards', [failed, { sessionUpdate: 'tool_call', toolCallId: 'call_3' }], 'Copilot'],
    ['it is another agent, which quotes an error', [failed], 'opencode'],
    ['it only talks about errors', [says('Errors: none')], 'Copilot'],
    ['nothing is known of the agent', [failed], undefined],
  ])('has not failed when %s', (_why, updates, name) => {
    expect(troubleOf(beside(...updates), name)).toBeNull()
  })

  it('counts all turns of its process together: each turn gets its own', () => {
    const totals = [20, 40, 80, 80, 100]
    let counted: object | null = null
    const turns = totals.map((outputTokens) => {
      const one = usageOfTurn({ stopReason: 'end_turn', usage: { outputTokens } }, { agentName: 'Copilot', counted })
      counted = one.counted
      return (one.usage as { outputTokens: number }).outputTokens
    })
    expect(turns).toEqual([20, 20, 40, 0, 20])
  })

  it('counts cached tokens as input too: they are taken out of it', () => {
    const totals = { inputTokens: 12_276, cachedReadTokens: 10_638, outputTokens: 49 }
    const one = usageOfTurn({ usage: totals }, { agentName: 'Copilot', counted: null })
    expect(one.usage).toEqual({ ...totals, inputTokens: 1_638 })
    const next = { inputTokens: 13_000, cachedReadTokens: 11_000, outputTokens: 60 }
    expect(usageOfTurn({ usage: next }, { agentName: 'Copilot', counted: one.counted }).usage).toEqual({
      ...{ inputTokens: 724 - 362, cachedReadTokens: 362, outputTokens: 11 },
    })
  })

  it('an agent that counts each turn is left alone', () => {
    const one = usageOfTurn({ usage: { outputTokens: 20 } }, { agentName: 'codex', counted: { outputTokens: 20 } })
    expect(one.usage).toEqual({ outputTokens: 20 })
  })
})
