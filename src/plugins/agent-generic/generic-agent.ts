// Any program with a terminal as an agent of ao. It keeps no records that ao knows, so its screen has to tell.
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Agent } from '../../slots/agent.ts'
import { readLaunchNote, writeLaunchNote } from '../agent-files/launch-note.ts'
import { readScreenLog, recordScreen } from '../agent-files/screen/screen-log.ts'
import { type CommandTemplate, expandCommand, namesPrompt, templateWords } from './expand-command.ts'
import { detectState, readScreenInput } from './read-screen-input.ts'

const NAME = 'generic'

export function createGenericAgent(options: CommandTemplate, clock: Clock = systemClock): Agent {
  const ownWords = templateWords(options, {})
  return {
    name: NAME,
    promptDelivery: deliveryOf(ownWords),
    promptDeliveryFor: (config) => deliveryOf(templateWords(options, config)),
    activitySource: 'screen',
    readsAoDirectory: true,
    getLaunchCommand: (launch) => expandCommand(templateWords(options, launch.config), launch),
    getAcpCommand: (launch) => expandCommand(templateWords(options, launch.config), launch),
    getEnvironment: () => ({}),
    prepare: async ({ stateDir }) =>
      writeLaunchNote(stateDir, NAME, { launchedAt: clock.now(), dataDir: stateDir, isResume: false }),
    getActivityState: async (session, read) =>
      readScreenLog(session, read, readLaunchNote(read.stateDir, NAME)?.launchedAt),
    detectActivity: detectState,
    readScreenInput,
    getSessionInfo: async () => null,
    recordActivity: async (session, terminalText, now) =>
      recordScreen(session, terminalText, detectState, now, { elseByChange: true }),
  }
}

function deliveryOf(words: string[]): Agent['promptDelivery'] {
  return namesPrompt(words) ? 'inline' : 'post-launch'
}
