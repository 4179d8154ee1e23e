import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../core/text/json-fields.ts'
import { rolloutFold } from './rollout.ts'

const fold = (records: JsonObject[]) => {
  const state = rolloutFold.start()
  for (const record of records) {
    expect(rolloutFold.wants?.(Buffer.from(JSON.stringify(record)))).toBe(true)
    rolloutFold.step(state, record)
  }
  return state
}

const model = (name: string) => ({ type: 'turn_context', payload: { model: name } })
const tokens = (input: number, cached: number, output: number) => ({
  input_tokens: input,
  cached_input_tokens: cached,
  output_tokens: output,
})
const total = (usage: object | null) => ({
  type: 'event_msg',
  payload: { type: 'token_count', info: usage && { total_token_usage: usage } },
})
const response = (id: string, usage: object) => ({ type: 'token_usage_record', payload: { response_id: id, usage } })

describe('what a rollout says about tokens', () => {
  it('counts the growth of the running total, cached tokens separately', () => {
    const state = fold([
      model('a'),
      total(null),
      total(tokens(100, 40, 10)),
      total(tokens(100, 40, 10)),
      total(tokens(300, 40, 30)),
    ])
    expect(state.usage).toEqual({
      a: { inputTokens: 260, cacheReadTokens: 40, outputTokens: 30, cacheWriteTokens: 0, cacheWriteLongTokens: 0 },
    })
  })

  it('gives each model what it used', () => {
    const state = fold([model('a'), total(tokens(100, 0, 10)), model('b'), total(tokens(150, 0, 15))])
    expect(state.usage).toMatchObject({ a: { inputTokens: 100 }, b: { inputTokens: 50, outputTokens: 5 } })
    expect(state.model).toBe('b')
  })

  it('counts a total that began anew', () => {
    expect(fold([model('a'), total(tokens(100, 0, 10)), total(tokens(20, 0, 2))]).usage.a).toMatchObject({
      inputTokens: 120,
    })
  })

  it('prefers the record of every response, each once, over totals', () => {
    const state = fold([
      model('a'),
      total(tokens(50, 0, 5)),
      response('r1', tokens(100, 30, 10)),
      response('r1', tokens(100, 30, 10)),
      total(tokens(150, 30, 15)),
      response('r2', tokens(7, 0, 1)),
    ])
    expect(state.usage.a).toMatchObject({ inputTokens: 50 + 70 + 7, cacheReadTokens: 30, outputTokens: 16 })
  })
})

describe('what a rollout says about words', () => {
  it('knows the first prompt, the name and the last answer, in old and new records', () => {
    const event = (payload: object) => ({ type: 'event_msg', payload })
    const item = (type: string, text: string) => event({ type: 'item_completed', item: { type, content: [{ text }] } })
    expect(
      fold([
        item('UserMessage', 'You work on shop.\n\n## Task\n\nWork on: do it'),
        item('UserMessage', 'more'),
        item('AgentMessage', 'done'),
      ]),
    ).toMatchObject({
      firstPrompt: 'do it',
      lastMessage: 'done',
      name: null,
    })
    expect(
      fold([
        event({ type: 'user_message', message: 'old' }),
        event({ type: 'agent_message', message: 'yes' }),
        event({ type: 'task_complete', last_agent_message: null }),
        event({ type: 'thread_name_updated', thread_name: 'A name' }),
      ]),
    ).toMatchObject({ firstPrompt: 'old', lastMessage: 'yes', name: 'A name' })
  })
})
