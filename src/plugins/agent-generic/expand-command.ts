// The command of the generic agent with its placeholders filled in. Pure: words in, words out, no shell.
import { join } from 'node:path'
import type { AgentConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { splitCommand } from '../../core/text/command-line.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import { fitsArgument } from '../agent-files/program-argv.ts'

export interface CommandTemplate {
  command?: string | string[] | undefined
  args?: string[] | undefined
}

const PLACEHOLDER = /\{(prompt|promptFile|systemPromptFile|model)\}/g

/** A project's setting wins over the plugin's options. */
export function templateArgv(options: CommandTemplate, config: AgentConfig): string[] {
  const command = config.command ?? options.command
  const argv = Array.isArray(command) ? command : splitCommand(command ?? '')
  if (argv === null) throw openQuote(command)
  return [...argv, ...(config.args ?? options.args ?? [])]
}

function openQuote(command: unknown): AoError {
  return new AoError(
    'CONFIG_INVALID',
    `The command of the generic agent is not a command: ${JSON.stringify(command)}`,
    {
      hint: 'A quotation mark in it is not closed',
    },
  )
}

/** Is the task part of the command? Otherwise it is sent as a message. */
export function namesPrompt(argv: string[]): boolean {
  return argv.some((word) => word.includes('{prompt}') || word.includes('{promptFile}'))
}

export function expandCommand(argv: string[], launch: AgentLaunch): string[] {
  if (argv.length === 0) {
    throw new AoError('CONFIG_INVALID', 'The generic agent has no command', {
      hint: 'Name one in agent-orchestrator.yaml, for example: agentConfig: { command: "mytool --ask {prompt}" }',
    })
  }
  const values = placeholderValues(launch)
  const result: string[] = []
  for (const word of argv) {
    const lacks = [...word.matchAll(PLACEHOLDER)].some(([, name]) => values[name!] === undefined)
    if (!lacks) {
      result.push(word.replace(PLACEHOLDER, (_, name: string) => values[name]!))
      continue
    }
    // `--model {model}` without a model: the option is removed together with its value.
    if (/^\{\w+\}$/.test(word) && result.length > 1 && result.at(-1)!.startsWith('-')) result.pop()
  }
  return result
}

function placeholderValues(launch: AgentLaunch): Record<string, string | undefined> {
  const promptFile = launch.prompt === undefined ? undefined : join(launch.stateDir, 'prompt.md')
  const isLong = launch.prompt !== undefined && !fitsArgument(launch.prompt)
  return {
    prompt: isLong ? `Your task is in the file ${promptFile}. Read all of it, then work on it.` : launch.prompt,
    promptFile,
    systemPromptFile: launch.systemPromptFile,
    model: launch.model,
  }
}
