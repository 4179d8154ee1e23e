// The plugin `opencode` of the agent slot. OpenCode gets its instructions from flags and files outside the workspace and is
// observed through its database.

import { mkdirSync } from 'node:fs'
import { agentRow, factsOfRow, howToInstall } from '../../contract/agents/agent-table.ts'
import type { Session } from '../../contract/session.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { detectOnPath } from '../../lib/find-executable.ts'
import { fitsArgument } from '../../lib/start-program.ts'
import type { Agent, AgentLaunch } from '../../slots/agent.ts'
import { definePlugin, type PluginContext } from '../../slots/plugin.ts'
import { type LaunchNote, readLaunchNote, writeLaunchNote } from '../agent-files/launch-note.ts'
import { priceOptions } from '../agent-files/price-options.ts'
import type { PriceTable } from '../agent-files/prices.ts'
import { programArgv } from '../agent-files/program-argv.ts'
import { recordScreen } from '../agent-files/screen/screen-log.ts'
import { type OpencodeFiles, readActivity } from './activity.ts'
import { findSessionId, hasSeen, listSessions, SESSION_ID_KEY, withDatabase } from './database.ts'
import {
  launchCommand,
  launchEnvironment,
  opencodeConfig,
  opencodeDataDir,
  opencodeFiles,
  resumeCommand,
  stateFiles,
} from './launch.ts'
import { readInfo } from './read-info.ts'
import { detectActivity, readDraft, readScreenInput } from './screen.ts'
import { opencodeTranscripts } from './transcripts.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'agent',
    name: 'opencode',
    description: 'OpenCode, read from its database and log',
  },
  options: priceOptions,
  create: ({ prices = {} }, context) => createOpencodeAgent({ context, prices }),
  // Its `--version` takes seconds, so existence has to be enough.
  detect: async ({ env }) => detectOnPath('opencode', { env, fix: howToInstall(agentRow('opencode')!) }),
})

const NAME = 'opencode'

interface OpencodeAgentParts {
  context: PluginContext
  prices: PriceTable
}

function createOpencodeAgent({ context, prices }: OpencodeAgentParts): Agent {
  const filesOf = (stateDir: string): OpencodeFiles => {
    const note: LaunchNote | null = readLaunchNote(stateDir, NAME)
    return { note, dataDir: note?.dataDir ?? opencodeDataDir(context.home, context.env), log: context.log }
  }
  const databaseOf = (stateDir: string) => opencodeFiles.database(filesOf(stateDir).dataDir)
  const idIn = (stateDir: string, session: Session) =>
    withDatabase(databaseOf(stateDir), context.log, (database) => findSessionId(database, session))
  return {
    name: NAME,
    promptDelivery: 'inline',
    activitySource: 'screen',
    drawsInputLate: true,
    readsAoDirectory: true,
    ...factsOfRow('opencode'),
    sessionIdKey: SESSION_ID_KEY,
    getLaunchCommand: launchCommand,
    getAcpCommand: ({ config }) => [...programArgv(config, 'opencode'), 'acp'],
    acpCostInRecords: true,
    getEnvironment: (launch) => launchEnvironment(launch, context.env),
    prepare: async (launch) => prepareLaunch(launch, context),
    getRestoreCommand: async (session, launch) => {
      const id = await idIn(launch.stateDir, { ...session, workspacePath: launch.workspacePath })
      return id === null ? null : resumeCommand(launch, id)
    },
    listConversations: async (directories) => {
      const path = opencodeFiles.database(opencodeDataDir(context.home, context.env))
      return (await withDatabase(path, context.log, (database) => listSessions(database, directories))) ?? []
    },
    getActivityState: (session, options) => readActivity(session, options, filesOf(options.stateDir)),
    detectActivity,
    readScreenInput,
    marksByColour: true,
    readDraft,
    getSessionInfo: (session, options) =>
      withDatabase(databaseOf(options.stateDir), context.log, (database) => {
        const id = findSessionId(database, session)
        return id === null ? null : readInfo(database, id, prices)
      }),
    hasSeen: async (session, text, since, options) => {
      const seen = await withDatabase(databaseOf(options.stateDir), context.log, (database) => {
        const id = findSessionId(database, session)
        return id !== null && hasSeen(database, id, text, since)
      })
      return seen ?? false
    },
    transcripts: opencodeTranscripts(databaseOf, context.log),
    recordActivity: async (session, terminalText, now) => recordScreen(session, terminalText, detectActivity, now),
    watchPaths: async (_session, options) => {
      const { dataDir } = filesOf(options.stateDir)
      return [opencodeFiles.wal(dataDir), opencodeFiles.log(dataDir)]
    },
  }
}

function prepareLaunch(launch: AgentLaunch, context: PluginContext): void {
  const { stateDir, prompt } = launch
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  writeFileAtomic(stateFiles.config(stateDir), `${JSON.stringify(opencodeConfig(launch), null, 2)}\n`)
  if (prompt !== undefined && !fitsArgument(prompt)) {
    writeFileAtomic(stateFiles.longPrompt(stateDir), prompt, { isForeign: true })
  }
  writeLaunchNote(stateDir, NAME, {
    launchedAt: new Date(),
    dataDir: opencodeDataDir(context.home, context.env, launch.config.env),
    isResume: launch.isResume === true,
  })
}
