// The plugin `generic` of the agent slot: any program with a terminal. It keeps no records that ao knows, so only its
// screen is observed.

import { join } from 'node:path'
import * as z from 'zod/mini'
import type { AgentConfig } from '../../contract/config.ts'
import type { ScreenInput } from '../../contract/dialog.ts'
import { AoError } from '../../contract/errors.ts'
import type { ActivityState } from '../../contract/status.ts'
import { splitCommand } from '../../core/text/command-line.ts'
import { fitsArgument } from '../../lib/start-program.ts'
import type { Agent, AgentLaunch } from '../../slots/agent.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { readLaunchNote, writeLaunchNote } from '../agent-files/launch-note.ts'
import { matchesText, type OwnDialog, ownDialogSchema } from '../agent-files/screen/own-dialogs.ts'
import { detectState, readScreenInput } from '../agent-files/screen/plain-screen.ts'
import { readScreenLog, recordScreen } from '../agent-files/screen/screen-log.ts'

/** Words on the screen, in which * stands for anything. */
const screenTexts = z.optional(
  z
    .array(
      z.string().check(z.regex(/[^\s*]/, 'must name words of the screen'), z.maxLength(200, 'may have 200 characters')),
    )
    .check(z.maxLength(20, 'may have 20 entries')),
)

const optionsSchema = z.strictObject({
  command: z.optional(z.union([z.string(), z.array(z.string())])),
  args: z.optional(z.array(z.string())),
  dialogs: z.optional(z.array(ownDialogSchema)),
  working: screenTexts,
  ready: screenTexts,
})

export const plugin = definePlugin({
  manifest: {
    slot: 'agent',
    name: 'generic',
    description: 'Any program with a terminal, named by agentConfig.command',
  },
  options: optionsSchema,
  create: (options) => createGenericAgent(options),
  detect: async () => ({ ok: true, detail: 'runs what agentConfig.command names' }),
})

const NAME = 'generic'

type GenericOptions = CommandTemplate & ScreenTexts & { dialogs?: OwnDialog[] | undefined }

export function createGenericAgent(options: GenericOptions): Agent {
  const ownArgv = templateArgv(options, {})
  const detect = (terminalText: string) =>
    stateByTexts(terminalText, detectState(terminalText, options.dialogs), options)
  return {
    name: NAME,
    promptDelivery: deliveryOf(ownArgv),
    promptDeliveryFor: (config) => deliveryOf(templateArgv(options, config)),
    activitySource: 'screen',
    readsAoDirectory: true,
    getLaunchCommand: (launch) => expandCommand(templateArgv(options, launch.config), launch),
    getAcpCommand: (launch) => expandCommand(templateArgv(options, launch.config), launch),
    getEnvironment: () => ({}),
    prepare: async ({ stateDir }) =>
      writeLaunchNote(stateDir, NAME, { launchedAt: new Date(), dataDir: stateDir, isResume: false }),
    getActivityState: async (session, read) =>
      session.workspacePath === null
        ? null
        : readScreenLog(session, read, readLaunchNote(read.stateDir, NAME)?.launchedAt),
    detectActivity: detect,
    mayReadLines: true,
    readScreenInput: (terminalText) =>
      withReadyTexts(terminalText, readScreenInput(terminalText, options.dialogs), options),
    getSessionInfo: async () => null,
    recordActivity: async (session, terminalText, now) =>
      recordScreen(session, terminalText, detect, now, { elseByChange: true }),
  }
}

function deliveryOf(argv: string[]): Agent['promptDelivery'] {
  return namesPrompt(argv) ? 'inline' : 'post-launch'
}

// The command of the generic agent with its placeholders filled in. Pure: words in, words out, no shell.

interface CommandTemplate {
  command?: string | string[] | undefined
  args?: string[] | undefined
}

const PLACEHOLDER = /\{(prompt|promptFile|systemPromptFile|model)\}/g

/** A project's setting wins over the plugin's options. */
function templateArgv(options: CommandTemplate, config: AgentConfig): string[] {
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
function namesPrompt(argv: string[]): boolean {
  return argv.some((word) => word.includes('{prompt}') || word.includes('{promptFile}'))
}

function expandCommand(argv: string[], launch: AgentLaunch): string[] {
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

// What the configuration knows about a program's screen: the words that it shows while it works, and while it waits.

interface ScreenTexts {
  /** A spinner's words, such as `Thinking*`. */
  working?: string[] | undefined
  /** Of the line in which it takes a message. */
  ready?: string[] | undefined
}

/** Older text stands further up. */
const LINES = 12

const shows = (terminalText: string, texts: readonly string[]) =>
  terminalText
    .trimEnd()
    .split('\n')
    .slice(-LINES)
    .some((line) => texts.some((one) => matchesText(one, line)))

/** `known`: what the words that all programs have in common say; a question wins over everything. */
export function stateByTexts(
  terminalText: string,
  detected: ActivityState | null,
  { working = [], ready = [] }: ScreenTexts,
): ActivityState | null {
  if (detected === 'waiting_input') return detected
  if (shows(terminalText, working)) return 'active'
  if (detected !== null) return detected
  return shows(terminalText, ready) ? 'ready' : null
}

/** The configuration knows the line in which it takes a message. */
function withReadyTexts(terminalText: string, input: ScreenInput, { ready = [] }: ScreenTexts): ScreenInput {
  return input.takes === 'unknown' && shows(terminalText, ready) ? { takes: 'text' } : input
}
