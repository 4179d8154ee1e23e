// A message that is too long for an agent's input line goes through a file of its workspace, and the line that is typed names
// the file. Pure.

/** From the root of the workspace; `.ao/` is excluded from git. */
export const MESSAGE_DIRECTORY = ['.ao', 'messages'] as const

export function messageFileName(messageId: string): string {
  return `${messageId.replace(/[^A-Za-z0-9-]/g, '_')}.md`
}

/** What the agent's records show of it: no other message contains the id. */
export function messageFileText(messageId: string): string {
  return `Read the file ${[...MESSAGE_DIRECTORY, messageFileName(messageId)].join('/')}`
}

/** What is typed instead of the text. */
export function lineForFile(messageId: string, source: string): string {
  return `${messageFileText(messageId)} now: it is a message to you from ${senderOf(source)}, too long for this input line.`
}

/** Names of sessions are plain; anything else is not repeated in an input line. */
function senderOf(source: string): string {
  if (source === 'user') return 'the user'
  return /^[A-Za-z0-9][\w-]*-\d+$/.test(source) ? `session ${source}` : 'ao'
}
