// A message is text even when it begins with a character that an agent's input line treats as a command: `!` would run the
// rest in a shell, without a question. Pure.

import type { InputCommands } from '../../contract/agents/agent-table.ts'

/** Zero width space: no agent trims it, and models ignore it. */
const MARK = '\u200b'

/** What is entered, or why it cannot be. */
export function enterAsText(text: string, commands: InputCommands): { text: string } | { refused: string } {
  const start = text.trimStart()
  const first = start.slice(0, 1)
  const how = Object.hasOwn(commands, first) ? commands[first] : undefined
  if (how === undefined || (how === 'space' && start !== text)) return { text }
  if (how === 'refuse') return { refused: `a message that begins with ${first} is a command there` }
  return { text: `${how === 'space' ? ' ' : MARK}${text}` }
}

/** Direction, width and joining marks, and tags: invisible characters. Joiners inside emoji stay. */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}/gu

export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '')
}
