// The plugin `claude-code` of the agent slot. Claude Code gets its instructions from files outside the workspace and is
// observed through its own files.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AGENT_FILES } from '../../contract/agents/agent-files.ts'
import { inputCommandsOf } from '../../contract/agents/agent-table.ts'
import type { Session } from '../../contract/session.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Agent, AgentLaunch } from '../../slots/agent.ts'
import { definePlugin, type PluginContext } from '../../slots/plugin.ts'
import { askVersion } from '../agent-files/ask-version.ts'
import { type FoldCache, openFoldCache, USAGE_CACHE_FILE } from '../agent-files/fold-cache.ts'
import { hooksPath } from '../agent-files/hook-events.ts'
import { priceOptions } from '../agent-files/price-options.ts'
import type { PriceTable } from '../agent-files/prices.ts'
import { hasSeen, readActivity } from './activity.ts'
import { claudeFiles, stateFiles } from './claude-paths.ts'
import { claudeConversation } from './conversation.ts'
import { findResumable, findTranscripts, type TranscriptQuery } from './find-transcripts.ts'
import { launchCommand, prepareLaunch, resumeCommand } from './launch.ts'
import { readInfo } from './read-info.ts'
import { detectActivity, readDraft, readScreenInput } from './screen.ts'
import { readClaudeRules } from './standing-rules.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'agent',
    name: 'claude-code',
    description: 'Claude Code, read from its hooks, state files and transcripts',
  },
  options: priceOptions,
  create: ({ prices = {} }, context) => createClaudeAgent({ context, prices }),
  detect: ({ env }) => askVersion('claude', env, 'npm install --global @anthropic-ai/claude-code'),
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
    repositoryFiles: AGENT_FILES['claude-code'],
    getLaunchCommand: launchCommand,
    getAcpCommand: () => ['claude-agent-acp'],
    acpModes: { skip: ['bypassPermissions'], 'auto-edit': ['acceptEdits'], suggest: ['default'] },
    getEnvironment: (launch) => claudeEnvironment(launch, isRoot),
    prepare: (launch) => prepareLaunch(launch, context, clock),
    getRestoreCommand: async (session, launch) => {
      const { query, cache } = await locate({ ...session, workspacePath: launch.workspacePath }, launch.stateDir)
      const sessionId = await findResumable(query, cache)
      const hasLongPrompt = existsSync(stateFiles.longPrompt(launch.stateDir))
      return sessionId === null ? null : resumeCommand(launch, sessionId, hasLongPrompt)
    },
    conversation: claudeConversation(locate, context, clock),
    getActivityState: async (session, options) => {
      const { query, cache } = await locate(session, options.stateDir)
      return readActivity(query, cache, options)
    },
    readStandingRules: ({ workspacePath }) => readClaudeRules(workspacePath),
    inputCommands: inputCommandsOf('claude-code'),
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
    query: { workspacePath: session.workspacePath ?? '', stateDir, home, env },
    cache: await openFoldCache(join(stateDir, USAGE_CACHE_FILE), log),
  }
}
