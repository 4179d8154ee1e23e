// For agents that keep their conversations as files of JSON lines: those that go along to another machine are those that are searched.
import type { AgentConversation, AgentTranscripts } from '../../slots/agent.ts'

export function transcriptsOf(
  conversation: AgentConversation,
  spokenIn: AgentTranscripts['spokenIn'],
): Pick<Required<{ conversation: AgentConversation; transcripts: AgentTranscripts }>, 'conversation' | 'transcripts'> {
  const names = async (...of: Parameters<AgentConversation['files']>) => Object.values(await conversation.files(...of))
  return { conversation, transcripts: { names, spokenIn } }
}
