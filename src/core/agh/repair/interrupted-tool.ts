// The result of a tool call for which the agent never sent one.
import type { AcpUpdate } from '../../../contract/agh/events.ts'

export const INTERRUPTED_TOOL = 'The tool call was interrupted before its result was recorded.'

/** In the shape of the agent's own update, so that a reader needs no special case. `repair`: added later, by a repair. */
export function interruptedResult(callId: string, title: string, repair = false): AcpUpdate {
  return {
    sessionUpdate: 'tool_call_update',
    toolCallId: callId,
    title,
    status: 'failed',
    content: [{ type: 'content', content: { type: 'text', text: INTERRUPTED_TOOL } }],
    _meta: { agh: repair ? { repair: true } : { interrupted: true } },
  }
}
