// The files that Aider is told to write outside the workspace.
import { join } from 'node:path'

export const stateFiles = {
  /** Markdown: `#### ` before the user's lines, `> ` before Aider's own. */
  chat: (stateDir: string) => join(stateDir, 'aider.chat.history.md'),
  /** One entry per message, with the time at which it was entered. */
  input: (stateDir: string) => join(stateDir, 'aider.input.history'),
}
