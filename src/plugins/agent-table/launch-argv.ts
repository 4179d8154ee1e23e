// The argv that starts or resumes an agent of the table. Pure.
import type { AgentRow, TerminalCommand } from '../../contract/agents/agent-table.ts'
import { fitsArgument } from '../../lib/start-program.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import { programArgv } from '../agent-files/program-argv.ts'

export interface LaunchFacts {
  /** The agent's own session id; null: none was chosen. */
  id: string | null
  /** Text for its flag, or to put before the task. */
  instructions: string | null
  /** The file with a task that is too long for an argument. */
  longPromptFile: string
}

export function launchArgv(
  row: AgentRow,
  terminal: TerminalCommand,
  launch: AgentLaunch,
  facts: LaunchFacts,
): string[] {
  return [
    ...programArgv(launch.config, row.program),
    ...(terminal.command ?? []),
    ...flags(terminal, launch, facts),
    ...filled(terminal.chooseId ?? [], { id: facts.id, session: launch.sessionId }),
    ...(launch.config.args ?? []),
    ...promptArgv(terminal, launch, facts),
  ]
}

/** null: it cannot be resumed, or there is nothing known to resume. */
export function resumeArgv(
  row: AgentRow,
  terminal: TerminalCommand,
  launch: AgentLaunch,
  facts: LaunchFacts,
): string[] | null {
  if (!terminal.resume || (facts.id === null && terminal.resume.some((word) => word.includes('{id}')))) return null
  return [
    ...programArgv(launch.config, row.program),
    ...(terminal.command ?? []),
    ...filled(terminal.resume, { id: facts.id, session: launch.sessionId }),
    ...flags(terminal, launch, facts),
    ...(launch.config.args ?? []),
  ]
}

/** Continues a copy, with its task as the next message. */
export function forkArgv(row: AgentRow, terminal: TerminalCommand, launch: AgentLaunch, facts: LaunchFacts): string[] {
  const task = launch.prompt === undefined ? [] : promptArgv(terminal, launch, facts)
  return [...resumeArgv(row, terminal, launch, facts)!, ...task]
}

function promptArgv(terminal: TerminalCommand, launch: AgentLaunch, facts: LaunchFacts): string[] {
  const message = firstMessage(terminal, launch, facts)
  return filled(terminal.prompt ?? [], { prompt: message === null ? null : asArgument(message, facts) })
}

/** What it reads first; instructions precede the task where there is no flag for them. */
export function firstMessage(
  terminal: TerminalCommand,
  { prompt }: AgentLaunch,
  { instructions }: Pick<LaunchFacts, 'instructions'>,
): string | null {
  const parts = [terminal.instructions === undefined ? instructions : null, prompt]
  const texts = parts.filter((text) => text !== null && text !== undefined)
  return texts.length === 0 ? null : texts.join('\n\n')
}

function flags(terminal: TerminalCommand, launch: AgentLaunch, { instructions }: LaunchFacts): string[] {
  const hasFlag = terminal.instructions !== undefined && instructions !== null && fitsArgument(instructions)
  return [
    ...(terminal.permissions[launch.permissions] ?? []),
    ...(terminal.model === undefined || launch.model === undefined ? [] : [terminal.model, launch.model]),
    ...(hasFlag ? [terminal.instructions!, instructions] : []),
  ]
}

function asArgument(message: string, { longPromptFile }: LaunchFacts): string {
  if (fitsArgument(message)) return message
  return `Your task was too long for a command line. Read all of it in the file ${longPromptFile}, then work on it.`
}

/** Omitted entirely when one of its values is missing. */
function filled(terminal: readonly string[], values: Record<string, string | null>): string[] {
  const lacks = terminal.some((word) => [...word.matchAll(/\{(\w+)\}/g)].some(([, name]) => values[name!] == null))
  if (lacks) return []
  return terminal.map((word) => word.replace(/\{(\w+)\}/g, (_, name: string) => values[name]!))
}
