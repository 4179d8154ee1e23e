// Anthropic's messages and OpenAI's responses: the conversation, the available tools, and the events of an answer.
import { type Answer, INPUT_TOKENS, type Json, OUTPUT_TOKENS, type Said, type Tool } from './chat-apis.ts'

export function fromMessage({ role, content }: Json): Said[] {
  if (typeof content === 'string') return [{ by: role === 'user' ? 'user' : 'model', text: content }]
  return content.map((block: Json): Said => {
    if (block.type === 'tool_result') return { by: 'tool', text: '' }
    return { by: role === 'user' ? 'user' : 'model', text: block.text ?? '' }
  })
}

export function fromItem(item: Json): Said[] {
  if (/_output$/.test(item.type)) return [{ by: 'tool', text: '' }]
  if (item.type !== 'message' && item.role === undefined) return []
  const parts = typeof item.content === 'string' ? [{ text: item.content }] : (item.content as Json[])
  return parts.map(({ text }) => ({ by: item.role === 'user' ? 'user' : 'model', text: text ?? '' }))
}

export function fromMessagesTool(tool: Json): Tool {
  return {
    name: tool.name,
    properties: tool.input_schema?.properties ?? {},
    required: tool.input_schema?.required ?? [],
  }
}

export function fromResponsesTool(tool: Json): Tool {
  return { name: tool.name, properties: tool.parameters?.properties ?? {}, required: tool.parameters?.required ?? [] }
}

let lastId = 0

export function messageEvents(reply: Answer): Json[] {
  const isText = 'text' in reply
  const usage = { input_tokens: INPUT_TOKENS, output_tokens: 1 }
  const head = { id: `msg_${++lastId}`, type: 'message', role: 'assistant', model: 'scripted', content: [] }
  const block = isText
    ? { type: 'text', text: '' }
    : { type: 'tool_use', id: `toolu_${lastId}`, name: reply.tool, input: {} }
  const delta = isText
    ? { type: 'text_delta', text: reply.text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(reply.input) }
  return [
    { type: 'message_start', message: { ...head, stop_reason: null, stop_sequence: null, usage } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: isText ? 'end_turn' : 'tool_use', stop_sequence: null },
      usage: { output_tokens: OUTPUT_TOKENS },
    },
    { type: 'message_stop' },
  ]
}

export function responseEvents(reply: Answer): Json[] {
  const id = `resp_${++lastId}`
  const item =
    'text' in reply
      ? {
          type: 'message',
          id: `msg_${lastId}`,
          role: 'assistant',
          content: [{ type: 'output_text', text: reply.text }],
        }
      : {
          type: 'function_call',
          id: `fc_${lastId}`,
          call_id: `call_${lastId}`,
          name: reply.tool,
          arguments: JSON.stringify(reply.input),
        }
  const usage = {
    input_tokens: INPUT_TOKENS,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: OUTPUT_TOKENS,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: INPUT_TOKENS + OUTPUT_TOKENS,
  }
  return [
    { type: 'response.created', response: { id } },
    { type: 'response.output_item.added', output_index: 0, item },
    ...('text' in reply
      ? [{ type: 'response.output_text.delta', item_id: item.id, output_index: 0, content_index: 0, delta: reply.text }]
      : []),
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id, output: [item], usage } },
  ]
}
