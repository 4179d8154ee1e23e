// What an agent reads that takes a task over from another one: the task, what was done, and what was said meanwhile.
import { fenceUntrusted } from './fence-untrusted.ts'

export interface HandoverParts {
  why: string
  /** The prompt that the session began with; null: there was none. */
  task: string | null
  branch: string | null
  /** One line for each commit, the oldest first. */
  commits: readonly string[]
  /** `git status --short`. */
  uncommitted: string
  /** What was sent to the agents before, the oldest first. */
  messages: ReadonlyArray<{ source: string; text: string }>
  lastMessage: string | null
}

const MOST_LINES = 50
const LONGEST_LINE = 300
const MOST_MESSAGES = 10
const LONGEST_TEXT = 8_000
const LONGEST_TASK = 100_000

export function handoverNote(parts: HandoverParts): string {
  const sections = [
    `You take this task over from another coding agent: ${parts.why}. You are in the same directory${
      parts.branch === null ? '' : `, on the same branch (${parts.branch})`
    }, and its work is here. You do not have its conversation.`,
    ...(parts.task === null ? [] : [`# The task\n\n${cut(parts.task, LONGEST_TASK)}`]),
    `# Work so far\n\n${workOf(parts)}`,
    ...(parts.messages.length === 0 ? [] : [`# Later messages, the oldest first\n\n${conversationOf(parts)}`]),
    ...(parts.lastMessage === null
      ? []
      : [`# Its last words\n\n${fenceUntrusted(last(parts.lastMessage, LONGEST_TEXT), 'the agent before you')}`]),
    'Read the history and the changes first (git log, git status, git diff). Then continue where it stopped; do not start over.',
  ]
  return sections.join('\n\n').replaceAll('\0', '')
}

function workOf({ commits, uncommitted }: HandoverParts): string {
  const changes = uncommitted.split('\n').filter((line) => line.trim() !== '')
  const lines = [
    commits.length === 0 ? 'No commits on this branch yet.' : `Commits: ${commits.length}, the newest last.`,
    ...newest(commits),
    changes.length === 0 ? 'Nothing is uncommitted.' : `Uncommitted files: ${changes.length}.`,
    ...changes.slice(0, MOST_LINES),
  ]
  return fenceUntrusted(lines.map((line) => line.slice(0, LONGEST_LINE)).join('\n'), 'git')
}

function newest(lines: readonly string[]): string[] {
  const more = lines.length - MOST_LINES
  return more > 0 ? [`(${more} earlier ones)`, ...lines.slice(-MOST_LINES)] : [...lines]
}

/** Foreign text in them was fenced when they were sent. */
function conversationOf({ messages }: HandoverParts): string {
  const kept = messages.slice(-MOST_MESSAGES)
  const left = messages.length - kept.length
  const texts = kept.map(({ source, text }) => `From ${source}:\n\n${cut(text, LONGEST_TEXT)}`)
  return [...(left > 0 ? [`(${left} earlier ones are left out)`] : []), ...texts].join('\n\n')
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}\n[… ${text.length - length} more characters]` : text
}

function last(text: string, length: number): string {
  return text.length > length ? `[…] ${text.slice(-length)}` : text
}
