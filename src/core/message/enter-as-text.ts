// A message is text, whatever an agent's input line would make of it: `!` at its beginning would run the rest in a shell
// without a question, `/quit` or a bare `exit` would end the agent, a backslash at its end would turn Enter into a line break,
// and `@name` at its end would let Enter pick a file. Pure.
import { CAUTIOUS_COMMANDS } from '../../contract/agents/agent-table.ts'

/**
 * An ordinary word in front, which everybody can see. Spaces are no protection: Claude Code 2.1.325 runs ` /quit`; and an
 * invisible mark would be text that nobody wrote and nobody sees.
 */
const PREFACE = 'Message: '

/** As a whole message these end some agents: Claude Code and Qwen Code leave at `exit` and `quit`. */
const LEAVING = /^(?:exit|quit|bye|logout|:q!?|:wq!?|:x)$/i

/** Enter after these breaks the line, or picks a completion, in some agents; none does so after a space, and all remove it. */
const OPEN_END = /\\$|(?:^|\s)[@/#$][^\s]*$/

/** Control characters, invisible marks, accents without a letter, fillers: ao, a terminal or an agent may remove them. */
const REMOVABLE = /(?![\t\n\r])[\p{C}\p{M}\u115f\u1160\u3164\uffa0]/gu

/**
 * What is entered. `commands`: what this agent's input line treats as a command when a message begins with it. It is judged by
 * what may be left of it, so that no invisible character hides a command.
 */
export function enterAsText(text: string, commands: string = CAUTIOUS_COMMANDS): string {
  const left = text.replace(REMOVABLE, '')
  const first = left.trimStart().slice(0, 1)
  const isCommand = (first !== '' && commands.includes(first)) || LEAVING.test(left.trim())
  return `${isCommand ? withPreface(text) : text}${OPEN_END.test(left) ? ' ' : ''}`
}

export function withPreface(text: string): string {
  return `${PREFACE}${text}`
}

/** The message itself, as it was sent, in what an agent recorded or shows of it. */
export function withoutPreface(line: string): string {
  return line.startsWith(PREFACE) ? line.slice(PREFACE.length) : line
}

/** Direction, width and joining marks, and tags: invisible characters. Joiners inside emoji stay. */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}/gu

export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '')
}
