// The plugin `gemini` of the agent slot. Gemini CLI gets its instructions from flags and is observed through its chats.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { agentRow, factsOfRow, howToInstall } from '../../contract/agents/agent-table.ts'
import type { Session } from '../../contract/session.ts'
import { type Clock, sleep, systemClock } from '../../lib/clock.ts'
import { detectOnPath } from '../../lib/find-executable.ts'
import type { Agent, AgentLaunch } from '../../slots/agent.ts'
import { definePlugin, type PluginContext } from '../../slots/plugin.ts'
import { openFoldCache, USAGE_CACHE_FILE } from '../agent-files/fold-cache.ts'
import { type ConversationFile, forkOfRecords } from '../agent-files/fork-records.ts'
import { readLaunchNote, writeLaunchNote } from '../agent-files/launch-note.ts'
import { priceOptions } from '../agent-files/price-options.ts'
import type { PriceTable } from '../agent-files/prices.ts'
import { programArgv } from '../agent-files/program-argv.ts'
import { recordsShow } from '../agent-files/records-show.ts'
import { recordScreen } from '../agent-files/screen/screen-log.ts'
import { readFolded } from '../agent-files/session-info.ts'
import { keepLongPrompt } from '../agent-table/launch-facts.ts'
import {
  chatDirs,
  chatsOf,
  findChat,
  type GeminiFiles,
  geminiDir,
  listChats,
  ownChats,
  readActivity,
} from './activity.ts'
import { chatFold, enteredText, spokenIn } from './chat.ts'
import { chatCut, copiedName } from './chat-cut.ts'
import { firstMessage, forkCommand, launchCommand, launchEnvironment, NAME, resumeCommand, TERMINAL } from './launch.ts'
import { detectActivity, readDraft, readScreenInput } from './screen.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'agent',
    name: 'gemini',
    description: 'Gemini CLI, read from its chats',
  },
  options: priceOptions,
  create: ({ prices = {} }, context) => createGeminiAgent({ context, prices }),
  // Its `--version` takes seconds, so existence has to be enough.
  detect: async ({ env }) => detectOnPath('gemini', { env, fix: howToInstall(agentRow('gemini')!) }),
})

interface GeminiAgentParts {
  context: PluginContext
  prices: PriceTable
  clock?: Clock
  wait?: (ms: number) => Promise<void>
}

export function createGeminiAgent(parts: GeminiAgentParts): Agent {
  const { context, prices, clock = systemClock, wait = sleep } = parts
  const filesOf = (stateDir: string): GeminiFiles => {
    const note = readLaunchNote(stateDir, NAME)
    return { note, dir: note?.dataDir ?? geminiDir(context.home, context.env) }
  }
  return {
    name: NAME,
    promptDelivery: 'inline',
    activitySource: 'screen',
    drawsInputLate: true,
    readsAoDirectory: true,
    ...factsOfRow('gemini'),
    getLaunchCommand: launchCommand,
    acpModelInCommand: true,
    getAcpCommand: ({ config, model }) => [
      ...programArgv(config, 'gemini'),
      '--acp',
      ...(model === undefined ? [] : ['--model', model]),
    ],
    acpModes: { skip: ['yolo'], 'auto-edit': ['autoEdit', 'auto_edit'], suggest: ['default'] },
    getEnvironment: launchEnvironment,
    prepare: async (launch) => prepareLaunch(launch, context, clock),
    messageLostByResume: firstMessage,
    getRestoreCommand: async (session, launch, onProgress) => {
      const { dir } = filesOf(launch.stateDir)
      const chat = await findChat(dir, { ...session, workspacePath: launch.workspacePath })
      if (!chat) return null
      const ms = untilResumable(chat.startedAt, clock.now())
      if (ms > 0) {
        onProgress?.(`gemini can resume its conversation in ${Math.ceil(ms / 1000)} s; waiting for that`)
        await wait(ms)
      }
      return resumeCommand(launch, chat.sessionId)
    },
    fork: forkOfRecords({
      rules: chatCut,
      nameOf: (path) => createHash('sha256').update(path).digest('hex'),
      async find({ workspacePath }, stateDir) {
        const found: ConversationFile[] = []
        for await (const { path, sessionId } of chatsOf(filesOf(stateDir).dir, workspacePath ?? ''))
          found.push({ path, id: sessionId })
        return found
      },
      async target({ workspacePath, conversationId, config }) {
        const [directory] = await chatDirs(geminiDir(context.home, context.env, config.env), workspacePath)
        return directory === undefined ? null : join(directory, copiedName(conversationId, clock.now()))
      },
      command: forkCommand,
    }),
    transcripts: {
      spokenIn,
      async names(session, { stateDir }) {
        const names: string[] = []
        for await (const { path } of ownChats(filesOf(stateDir).dir, session)) names.push(path)
        return names
      },
    },
    listConversations: (directories) => listChats(geminiDir(context.home, context.env), directories),
    getActivityState: (session, options) => readActivity(session, options, filesOf(options.stateDir)),
    dropsInvisible: true,
    detectActivity,
    readScreenInput,
    readDraft,
    getSessionInfo: async (session, options) => {
      const chat = await findChat(filesOf(options.stateDir).dir, session)
      if (!chat) return null
      const cache = await openFoldCache(join(options.stateDir, USAGE_CACHE_FILE), context.log)
      const file = { path: chat.path, fold: chatFold, sessionId: chat.sessionId }
      return readFolded({ cache, prices }, file, ({ summary }) => summary)
    },
    // A message entered while Gemini is busy is recorded only when its turn comes.
    hasSeen: async (session, text, since, options) => {
      const chat = await findChat(filesOf(options.stateDir).dir, session)
      return recordsShow({ file: chat?.path, enteredText }, text, since)
    },
    recordActivity: async (session, terminalText, now) => recordScreen(session, terminalText, detectActivity, now),
    async watchPaths(session: Session, options) {
      const { dir } = filesOf(options.stateDir)
      // The directories of a workspace appear with its first message; until then the ones above are watched.
      return [dir, join(dir, 'tmp'), ...(await chatDirs(dir, session.workspacePath ?? ''))]
    },
  }
}

const MINUTE_MS = 60_000

/**
 * The name of a chat's file contains the minute of its start: a resume in that same minute makes Gemini overwrite it. Started
 * afresh instead, it would do its task a second time.
 */
function untilResumable(startedAt: Date, now: Date): number {
  const minute = Math.floor(startedAt.getTime() / MINUTE_MS)
  return minute === Math.floor(now.getTime() / MINUTE_MS) ? (minute + 1) * MINUTE_MS - now.getTime() : 0
}

function prepareLaunch(launch: AgentLaunch, context: PluginContext, clock: Clock): void {
  const { stateDir, config } = launch
  keepLongPrompt(NAME, TERMINAL, launch)
  writeLaunchNote(stateDir, NAME, {
    launchedAt: clock.now(),
    dataDir: geminiDir(context.home, context.env, config.env),
    isResume: launch.isResume === true,
  })
}
