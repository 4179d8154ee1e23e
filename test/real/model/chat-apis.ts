// Two more APIs that agents speak to their models: OpenAI's chat completions and Google's generateContent.

// biome-ignore lint/suspicious/noExplicitAny: requests of foreign APIs
export type Json = Record<string, any>

export interface Said {
  by: 'user' | 'tool' | 'model'
  text: string
}

export interface Tool {
  name: string
  properties: Json
  required: readonly string[]
}

/** `words`: the text is said this often, a word every tenth of a second, before the answer is complete. */
export type Answer = { text: string; wordCount?: number } | { tool: string; input: Json }
export type Reply = Answer | { error: number }

/** The reported cost of every answer. */
export const INPUT_TOKENS = 100
export const OUTPUT_TOKENS = 20

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
let lastId = 0

export function fromChatMessage({ role, content }: Json): Said[] {
  if (role === 'tool') return [{ by: 'tool', text: '' }]
  const text = typeof content === 'string' ? content : (content ?? []).map((part: Json) => part.text ?? '').join('\n')
  return [{ by: role === 'user' ? 'user' : 'model', text }]
}

export function fromChatTool({ function: tool }: Json): Tool {
  return { name: tool.name, properties: tool.parameters?.properties ?? {}, required: tool.parameters?.required ?? [] }
}

export function chatChunks(reply: Answer): Json[] {
  const head = { id: `chat_${++lastId}`, object: 'chat.completion.chunk', created: 1, model: 'scripted' }
  const delta =
    'text' in reply
      ? { role: 'assistant', content: reply.text }
      : {
          role: 'assistant',
          tool_calls: [
            {
              index: 0,
              id: `call_${lastId}`,
              type: 'function',
              function: { name: reply.tool, arguments: JSON.stringify(reply.input) },
            },
          ],
        }
  const finish_reason = 'text' in reply ? 'stop' : 'tool_calls'
  return [
    { ...head, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...head, choices: [{ index: 0, delta: {}, finish_reason }], usage: USAGE },
  ]
}

export function fromContent({ role, parts }: Json): Said[] {
  return parts.map((part: Json): Said => {
    if (part.functionResponse) return { by: 'tool', text: '' }
    return { by: role === 'user' ? 'user' : 'model', text: part.text ?? '' }
  })
}

export function fromDeclarations({ functionDeclarations = [] }: Json): Tool[] {
  return functionDeclarations.map((tool: Json) => {
    const schema = tool.parametersJsonSchema ?? tool.parameters ?? {}
    return { name: tool.name, properties: schema.properties ?? {}, required: schema.required ?? [] }
  })
}

export function contentChunks(reply: Answer): Json[] {
  const part = 'text' in reply ? { text: reply.text } : { functionCall: { name: reply.tool, args: reply.input } }
  return [
    {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
    },
  ]
}
