// Plugins of the agent slot that are built from a row of the table (contract/agents/agent-table.ts): agents that differ
// only in wording.
import { dirname, join } from 'node:path'
import { AGENT_TABLE, type AgentRow, howToInstall, type TerminalCommand } from '../../contract/agents/agent-table.ts'
import { recordOf } from '../../contract/record.ts'
import { detectOnPath } from '../../lib/find-executable.ts'
import type { Agent, AgentFork, AgentLaunch } from '../../slots/agent.ts'
import { definePlugin, type Plugin, type PluginContext } from '../../slots/plugin.ts'
import { forkOfRecords } from '../agent-files/fork-records.ts'
import { readLaunchNote, writeLaunchNote } from '../agent-files/launch-note.ts'
import { ownFiles } from '../agent-files/list-directory.ts'
import { priceOptions } from '../agent-files/price-options.ts'
import type { PriceTable } from '../agent-files/prices.ts'
import { programArgv } from '../agent-files/program-argv.ts'
import { detectState, readScreenInput, WORKS } from '../agent-files/screen/plain-screen.ts'
import { readByRules } from '../agent-files/screen/read-by-rules.ts'
import { draftReader } from '../agent-files/screen/read-draft.ts'
import { readScreenState } from '../agent-files/screen/read-screen-state.ts'
import { readScreenLog, recordScreen } from '../agent-files/screen/screen-log.ts'
import { copilotRecords } from './copilot-records.ts'
import { forkArgv, launchArgv, resumeArgv } from './launch-argv.ts'
import { factsOf, keepLongPrompt } from './launch-facts.ts'
import { listConversations } from './list-conversations.ts'
import { piRecords } from './pi-records.ts'
import { qwenRecords } from './qwen-records.ts'
import { hasSeen, type RecordsOf, readActivity, readInfo, sessionFiles } from './read-records.ts'
import type { RecordFormat } from './record-format.ts'
import { screenRulesOf } from './screen-rules.ts'

const FORMATS: Readonly<Record<NonNullable<AgentRow['records']>, RecordFormat>> = {
  qwen: qwenRecords,
  pi: piRecords,
  copilot: copilotRecords,
}

/** Throws when the table has no such row, or when the agent has a plugin of its own. */
export function tablePlugin(name: string): { plugin: Plugin } {
  const row = AGENT_TABLE.find((one) => one.name === name)
  if (!row || row.terminal === 'own') throw new Error(`${name} is not an agent of the table`)
  const { terminal } = row
  return {
    plugin: definePlugin({
      manifest: {
        slot: 'agent',
        name,
        description: `${row.title}${row.records ? ', read from its session files' : ''}${row.verified === null ? ' (not verified)' : ''}`,
      },
      options: priceOptions,
      create: ({ prices = {} }, context) => createTableAgent({ row, terminal, context, prices }),
      detect: async ({ env }) => detectOnPath(row.program, { env, fix: howToInstall(row) }),
    }),
  }
}

interface TableAgentParts {
  row: AgentRow
  terminal: TerminalCommand
  context: PluginContext
  prices: PriceTable
}

export function createTableAgent(parts: TableAgentParts): Agent {
  const { acp, acpModes } = parts.row
  const agent = terminalAgent(parts)
  if (!acp) return agent
  return {
    ...agent,
    acpModes,
    getAcpCommand: ({ config }) => [...programArgv(config, acp[0]), ...acp.slice(1)],
  }
}

function terminalAgent({ row, terminal, context, prices }: TableAgentParts): Agent {
  const { name, inputCommands, typedLimit, fileMention, repositoryFiles } = row
  const format = row.records && FORMATS[row.records]
  const recordsOf = (stateDir: string): RecordsOf | null => {
    const note = readLaunchNote(stateDir, name)
    return format ? { format, note, dataDir: note?.dataDir ?? format.dataDir(context.home, context.env) } : null
  }
  // Seen only with those that were run: the input line of the others may look different.
  const rules = screenRulesOf(row)
  const readDraft = rules && draftReader(rules.input)
  const readInput = (text: string) => (rules ? readByRules(text, rules) : readScreenInput(text))
  const shows = (text: string) => (rules ? readScreenState(text, readInput(text), { works: WORKS }) : detectState(text))
  // Records say whether it waits for the next message; a screen without a question or work says nothing.
  const detect = (text: string) => {
    const state = shows(text)
    return rules && state === 'ready' ? null : state
  }
  return {
    name,
    promptDelivery: terminal.prompt ? 'inline' : 'post-launch',
    activitySource: 'screen',
    readsAoDirectory: true,
    repositoryFiles,
    inputCommands,
    typedLimit,
    fileMention,
    // Text typed before the input line is there is lost.
    drawsInputLate: row.inputLine === undefined ? undefined : true,
    getLaunchCommand: (launch) => launchArgv(row, terminal, launch, factsOf(name, launch, launch.conversationId)),
    getEnvironment: () => ({}),
    prepare: (launch) => prepareLaunch({ row, terminal, format, context }, launch),
    getRestoreCommand: async (session, launch) => {
      const id = readLaunchNote(launch.stateDir, name)?.agentSessionId ?? recordOf(session).conversation ?? null
      return resumeArgv(row, terminal, launch, factsOf(name, launch, id))
    },
    ...(format?.cut && {
      fork: tableFork({ row, terminal, format, context }, format.cut),
      listConversations: (directories) =>
        listConversations(format, format.dataDir(context.home, context.env), directories),
    }),
    ...(format && {
      transcripts: {
        spokenIn: format.spokenIn,
        async names(session, { stateDir }) {
          const records = recordsOf(stateDir)
          return records ? sessionFiles(records, session) : []
        },
      },
    }),
    async getActivityState(session, options) {
      const records = recordsOf(options.stateDir)
      if (records) return readActivity(records, session, options)
      return readScreenLog(session, options, readLaunchNote(options.stateDir, name)?.launchedAt)
    },
    detectActivity: detect,
    readScreenInput: readInput,
    readDraft,
    async getSessionInfo(session, options) {
      const records = recordsOf(options.stateDir)
      return records && readInfo(records, session, { name, stateDir: options.stateDir, context, prices })
    },
    async hasSeen(session, text, since, options) {
      const records = recordsOf(options.stateDir)
      return records && hasSeen(records, session, text, since)
    },
    recordActivity: async (session, text, now) =>
      recordScreen(session, text, detect, now, {
        elseByChange: format === undefined,
        shows: format?.comesLate && shows,
      }),
    async watchPaths(session, options) {
      const records = recordsOf(options.stateDir)
      if (!records || session.workspacePath === null) return []
      const directories = records.format.directories(
        records.dataDir,
        session.workspacePath,
        records.note?.agentSessionId ?? null,
      )
      // Directories appear with the first message; until then the ones above are watched.
      return [
        ...new Set([
          ...directories.flatMap((directory) => [directory, dirname(directory), dirname(dirname(directory))]),
          records.dataDir,
        ]),
      ]
    },
  }
}

interface PrepareParts {
  row: AgentRow
  terminal: TerminalCommand
  format: RecordFormat | undefined
  context: PluginContext
}

const MOST_CONVERSATIONS = 50

function tableFork(
  { row, terminal, format, context }: PrepareParts & { format: RecordFormat },
  { fileName, idOf, ...rules }: NonNullable<RecordFormat['cut']>,
): AgentFork {
  const { home, env } = context
  return forkOfRecords({
    rules: { ...rules, enteredText: format.enteredText },
    async find({ workspacePath }, stateDir) {
      if (workspacePath === null) return []
      const dataDir = readLaunchNote(stateDir, row.name)?.dataDir ?? format.dataDir(home, env)
      const directories = format.directories(dataDir, workspacePath, null)
      const files = await Promise.all(directories.map((one) => ownFiles(one, /\.jsonl$/, MOST_CONVERSATIONS)))
      const newest = files.flat().sort((a, b) => b.at.getTime() - a.at.getTime())
      return newest.map(({ path, name }) => ({ path, id: idOf(name) }))
    },
    async target({ workspacePath, conversationId, config }) {
      const dataDir = format.dataDir(home, { ...env, ...config.env })
      const directory = format.directories(dataDir, workspacePath, conversationId).at(-1)!
      return join(directory, fileName(conversationId, new Date()))
    },
    async remember({ stateDir, conversationId, config }) {
      const dataDir = format.dataDir(home, { ...env, ...config.env })
      const note = { launchedAt: new Date(), dataDir, isResume: true, agentSessionId: conversationId }
      writeLaunchNote(stateDir, row.name, note)
    },
    command: (launch, id) => forkArgv(row, terminal, launch, factsOf(row.name, launch, id)),
  })
}

async function prepareLaunch({ row, terminal, format, context }: PrepareParts, launch: AgentLaunch): Promise<void> {
  const { stateDir, config } = launch
  const isResume = launch.isResume === true
  keepLongPrompt(row.name, terminal, launch)
  const recordedId = readLaunchNote(stateDir, row.name)?.agentSessionId
  const agentSessionId = isResume ? recordedId : terminal.chooseId && launch.conversationId
  const dataDir = format?.dataDir(context.home, { ...context.env, ...config.env }) ?? stateDir
  if (isResume && format?.beforeResume && recordedId)
    await Promise.all(format.directories(dataDir, launch.workspacePath, recordedId).map(format.beforeResume))
  writeLaunchNote(stateDir, row.name, {
    launchedAt: new Date(),
    dataDir,
    isResume,
    agentSessionId,
  })
}
