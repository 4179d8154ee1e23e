// The argv that starts or resumes an agent of the table. Pure.
import type { AgentRow, TerminalWords } from '../../contract/agents/agent-table.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import { fitsArgument, programWords } from '../agent-files/program-words.ts'

export interface LaunchFacts {
  /** The agent's own session id; null: none was chosen. */
  id: string | null
  /** Text for its flag, or to put before the task. */
  instructions: string | null
  /** The file with a task that is too long for an argument. */
  longPromptFile: string
}

export function launchWords(row: AgentRow, words: TerminalWords, launch: AgentLaunch, facts: LaunchFacts): string[] {
  const message = firstMessage(words, launch, facts)
  return [
    ...programWords(launch.config, row.program),
    ...(words.command ?? []),
    ...flags(words, launch, facts),
    ...filled(words.chooseId ?? [], { id: facts.id, session: launch.sessionId }),
    ...(launch.config.args ?? []),
    ...filled(words.prompt ?? [], { prompt: message === null ? null : asArgument(message, facts) }),
  ]
}

/** null: it cannot be resumed, or there is nothing known to resume. */
export function resumeWords(
  row: AgentRow,
  words: TerminalWords,
  launch: AgentLaunch,
  facts: LaunchFacts,
): string[] | null {
  if (!words.resume || (facts.id === null && words.resume.some((word) => word.includes('{id}')))) return null
  return [
    ...programWords(launch.config, row.program),
    ...(words.command ?? []),
    ...filled(words.resume, { id: facts.id, session: launch.sessionId }),
    ...flags(words, launch, facts),
    ...(launch.config.args ?? []),
  ]
}

/** What it reads first; instructions precede the task where there is no flag for them. */
export function firstMessage(
  words: TerminalWords,
  { prompt }: AgentLaunch,
  { instructions }: Pick<LaunchFacts, 'instructions'>,
): string | null {
  const parts = [words.instructions === undefined ? instructions : null, prompt]
  const texts = parts.filter((text) => text !== null && text !== undefined)
  return texts.length === 0 ? null : texts.join('\n\n')
}

function flags(words: TerminalWords, launch: AgentLaunch, { instructions }: LaunchFacts): string[] {
  const hasFlag = words.instructions !== undefined && instructions !== null && fitsArgument(instructions)
  return [
    ...(words.permissions[launch.permissions] ?? []),
    ...(words.model === undefined || launch.model === undefined ? [] : [words.model, launch.model]),
    ...(hasFlag ? [words.instructions!, instructions] : []),
  ]
}

function asArgument(message: string, { longPromptFile }: LaunchFacts): string {
  if (fitsArgument(message)) return message
  return `Your task was too long for a command line. Read all of it in the file ${longPromptFile}, then work on it.`
}

/** Omitted entirely when one of its values is missing. */
function filled(words: readonly string[], values: Record<string, string | null>): string[] {
  const lacks = words.some((word) => [...word.matchAll(/\{(\w+)\}/g)].some(([, name]) => values[name!] == null))
  if (lacks) return []
  return words.map((word) => word.replace(/\{(\w+)\}/g, (_, name: string) => values[name]!))
}
