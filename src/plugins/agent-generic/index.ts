// The plugin `generic` of the agent slot: any program with a terminal. It keeps no records that ao knows, so only its
// screen is observed.
import * as z from 'zod/mini'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Agent } from '../../slots/agent.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { readLaunchNote, writeLaunchNote } from '../agent-files/launch-note.ts'
import { type OwnDialog, ownDialogSchema } from '../agent-files/screen/own-dialogs.ts'
import { detectState, readScreenInput } from '../agent-files/screen/plain-screen.ts'
import { readScreenLog, recordScreen } from '../agent-files/screen/screen-log.ts'
import { type CommandTemplate, expandCommand, namesPrompt, templateArgv } from './expand-command.ts'
import { type ScreenTexts, stateByTexts, withReadyTexts } from './screen-texts.ts'

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

export function createGenericAgent(options: GenericOptions, clock: Clock = systemClock): Agent {
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
      writeLaunchNote(stateDir, NAME, { launchedAt: clock.now(), dataDir: stateDir, isResume: false }),
    getActivityState: async (session, read) =>
      readScreenLog(session, read, readLaunchNote(read.stateDir, NAME)?.launchedAt),
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
