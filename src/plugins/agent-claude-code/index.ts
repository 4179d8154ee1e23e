// The plugin `claude-code` of the agent slot. Claude Code gets its instructions from files outside the workspace and is
// observed through its own files.

import { existsSync, mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { agentRow, factsOfRow, howToInstall } from '../../contract/agents/agent-table.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { MAX_FOREIGN_BYTES, readBytes } from '../../lib/plain-file.ts'
import type { Agent, AgentConversation, AgentFork, AgentLaunch } from '../../slots/agent.ts'
import { definePlugin, type PluginContext } from '../../slots/plugin.ts'
import { askVersion } from '../agent-files/ask-version.ts'
import { type FoldCache, openFoldCache, USAGE_CACHE_FILE } from '../agent-files/fold-cache.ts'
import { forkOfRecords } from '../agent-files/fork-records.ts'
import { hooksPath } from '../agent-files/hook-events.ts'
import { realPath } from '../agent-files/list-directory.ts'
import { priceOptions } from '../agent-files/price-options.ts'
import type { PriceTable } from '../agent-files/prices.ts'
import { transcriptsOf } from '../agent-files/transcripts.ts'
import { hasSeen, readActivity } from './activity.ts'
import { claudeConfigDir, claudeFiles, isSessionId, stateFiles } from './claude-paths.ts'
import {
  findResumable,
  findSubagentTranscripts,
  findTranscripts,
  listConversations,
  type TranscriptQuery,
} from './find-transcripts.ts'
import { adoptSessions, forkCommand, launchCommand, prepareLaunch, resumeCommand } from './launch.ts'
import { readInfo, spokenIn } from './read-info.ts'
import { detectActivity, readDraft, readScreenInput } from './screen.ts'
import { readClaudeRules } from './standing-rules.ts'
import { transcriptCut } from './transcript-cut.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'agent',
    name: 'claude-code',
    description: 'Claude Code, read from its hooks, state files and transcripts',
  },
  options: priceOptions,
  create: ({ prices = {} }, context) => createClaudeAgent({ context, prices }),
  detect: ({ env }) => askVersion('claude', env, howToInstall(agentRow('claude-code')!)),
})

interface ClaudeAgentParts {
  context: PluginContext
  prices: PriceTable
  clock?: Clock
  /** Claude refuses to skip permissions as root unless this declares a sandbox. */
  isRoot?: boolean
}

export function createClaudeAgent(parts: ClaudeAgentParts): Agent {
  const { context, prices, clock = systemClock, isRoot = process.getuid?.() === 0 } = parts
  const locate = (session: Session, stateDir: string) => locateTranscript(session, stateDir, context)
  return {
    name: 'claude-code',
    promptDelivery: 'inline',
    activitySource: 'native',
    drawsInputLate: true,
    readsAoDirectory: false,
    ...factsOfRow('claude-code'),
    getLaunchCommand: launchCommand,
    getAcpCommand: () => ['claude-agent-acp'],
    hasPlanMode: true,
    acpModes: { skip: ['bypassPermissions'], 'auto-edit': ['acceptEdits'], suggest: ['default'] },
    getEnvironment: (launch) => claudeEnvironment(launch, isRoot),
    prepare: (launch) => prepareLaunch(launch, context, clock),
    getRestoreCommand: async (session, launch) => {
      const { query, cache } = await locate({ ...session, workspacePath: launch.workspacePath }, launch.stateDir)
      const sessionId = await findResumable(query, cache)
      const hasLongPrompt = existsSync(stateFiles.longPrompt(launch.stateDir))
      return sessionId === null ? null : resumeCommand(launch, sessionId, hasLongPrompt)
    },
    listConversations: (directories) => listConversations(claudeConfigDir(context.home, context.env), directories),
    fork: claudeFork(locate, context, clock),
    ...transcriptsOf(claudeConversation(locate, context, clock), spokenIn),
    getActivityState: async (session, options) => {
      const { query, cache } = await locate(session, options.stateDir)
      return readActivity(query, cache, options)
    },
    readStandingRules: ({ workspacePath }) => readClaudeRules(workspacePath),
    dropsInvisible: true,
    detectActivity,
    readScreenInput,
    readDraft,
    getSessionInfo: async (session, options) => {
      const { query, cache } = await locate(session, options.stateDir)
      const { transcripts } = await findTranscripts(query, cache)
      const info = await readInfo(transcripts, cache, prices)
      await cache.save()
      return info
    },
    hasSeen: async (session, text, since, options) => {
      const { query, cache } = await locate(session, options.stateDir)
      const { transcripts } = await findTranscripts(query, cache)
      return hasSeen(transcripts.at(-1), text, since)
    },
    watchPaths: async (session, options) => {
      const { query, cache } = await locate(session, options.stateDir)
      const { configDir, transcripts } = await findTranscripts(query, cache)
      const paths = transcripts.map(({ path }) => path)
      return [hooksPath(options.stateDir), claudeFiles.processes(configDir), ...paths]
    },
  }
}

function claudeEnvironment(launch: AgentLaunch, isRoot: boolean): Record<string, string> {
  return {
    // Set when ao itself runs inside Claude Code; the inner one would take itself for part of the outer one.
    CLAUDECODE: '',
    CLAUDE_CODE_ENTRYPOINT: '',
    ...(isRoot && launch.permissions === 'skip' ? { IS_SANDBOX: '1' } : {}),
  }
}

async function locateTranscript(
  session: Session,
  stateDir: string,
  { home, env, log }: PluginContext,
): Promise<{ query: TranscriptQuery; cache: FoldCache }> {
  return {
    query: {
      workspacePath: session.workspacePath ?? '',
      adopted: recordOf(session).conversation,
      ...{ stateDir, home, env },
    },
    cache: await openFoldCache(join(stateDir, USAGE_CACHE_FILE), log),
  }
}

type Locate = (
  session: Parameters<AgentConversation['files']>[0],
  stateDir: string,
) => Promise<{ query: TranscriptQuery; cache: FoldCache }>

/** Claude looks for a conversation below the name of the directory that it works in; the fork works in another one. */
async function copyTranscript(
  locate: Locate,
  { home, env }: PluginContext,
  { source, stateDir, launch }: { source: Session; stateDir: string; launch: AgentLaunch },
): Promise<string | null> {
  const { query, cache } = await locate(source, stateDir)
  const id = await findResumable(query, cache)
  const { transcripts } = await findTranscripts(query, cache, { anyAge: true })
  const from = transcripts.find(({ sessionId }) => sessionId === id)
  if (id === null || !from) return null
  const to = claudeFiles.transcript(claudeConfigDir(home, env, launch.config.env), realPath(launch.workspacePath), id)
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  const bytes = readBytes(from.path, { maxBytes: MAX_FOREIGN_BYTES })
  // The other session may be writing a line just now.
  writeFileAtomic(to, bytes.subarray(0, bytes.lastIndexOf('\n') + 1), { isForeign: true })
  return id
}

function claudeFork(locate: Locate, context: PluginContext, clock: Clock): AgentFork {
  const cut = forkOfRecords({
    rules: transcriptCut,
    async find(source, stateDir) {
      const { query, cache } = await locate(source, stateDir)
      const { transcripts } = await findTranscripts(query, cache, { anyAge: true })
      return transcripts.map(({ path, sessionId }) => ({ path, id: sessionId })).reverse()
    },
    async target(launch) {
      const configDir = claudeConfigDir(context.home, context.env, launch.config.env)
      return claudeFiles.transcript(configDir, realPath(launch.workspacePath), launch.conversationId)
    },
    remember: async (launch) => adoptSessions(launch, [launch.conversationId], context, clock),
    command: forkCommand,
  })
  return {
    ...cut,
    copy: (source, stateDir, launch, point) =>
      point ? cut.copy(source, stateDir, launch, point) : copyTranscript(locate, context, { source, stateDir, launch }),
  }
}

/** `{session id}.jsonl`, `{session id}/subagents/agent-….jsonl` */
const NAME = /^([^/]+?)(?:\.jsonl|\/subagents\/(agent-[\w-]{1,100}\.jsonl))$/

/**
 * Claude's transcripts of a session on their way to another machine: it finds them by their id, below the name of the
 * directory that it works in.
 */
function claudeConversation(locate: Locate, context: PluginContext, clock: Clock): AgentConversation {
  return {
    async files(session, { stateDir }) {
      const { query, cache } = await locate(session, stateDir)
      const { transcripts } = await findTranscripts(query, cache)
      const files: Record<string, string> = {}
      for (const transcript of transcripts) {
        files[`${transcript.sessionId}.jsonl`] = transcript.path
        for (const path of await findSubagentTranscripts(transcript)) {
          files[`${transcript.sessionId}/subagents/${basename(path)}`] = path
        }
      }
      return files
    },
    async adopt(names, launch) {
      const configDir = claudeConfigDir(context.home, context.env, launch.config.env)
      const adopted = names.flatMap((name) => {
        const [, id = '', subagent] = NAME.exec(name) ?? []
        return isSessionId(id) ? [{ name, id, subagent }] : []
      })
      const ids = adopted.flatMap(({ id, subagent }) => (subagent === undefined ? [id] : []))
      adoptSessions(launch, ids, context, clock)
      const workspace = realPath(launch.workspacePath)
      return Object.fromEntries(
        adopted.map(({ name, id, subagent }) => {
          const transcript = claudeFiles.transcript(configDir, workspace, id)
          if (subagent === undefined) return [name, transcript]
          return [name, join(transcript.slice(0, -'.jsonl'.length), 'subagents', subagent)]
        }),
      )
    },
  }
}
