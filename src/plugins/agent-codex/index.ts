// The plugin `codex` of the agent slot. Codex gets its instructions from flags and is observed through its own files.

import { join } from 'node:path'
import { AGENT_FILES } from '../../contract/agents/agent-files.ts'
import { inputCommandsOf } from '../../contract/agents/agent-table.ts'
import type { AgentSessionInfo, Session } from '../../contract/session.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Agent, AgentLaunch } from '../../slots/agent.ts'
import { definePlugin, type PluginContext } from '../../slots/plugin.ts'
import { askVersion } from '../agent-files/ask-version.ts'
import { type FoldCache, openFoldCache, USAGE_CACHE_FILE } from '../agent-files/fold-cache.ts'
import { hooksPath } from '../agent-files/hook-events.ts'
import { priceOptions } from '../agent-files/price-options.ts'
import { type PriceTable, totalCost } from '../agent-files/prices.ts'
import { hasSeen, readActivity } from './activity.ts'
import { codexConversation } from './conversation.ts'
import { findRollout, type Rollout, rememberRollout } from './find-rollout.ts'
import { acpEnvironment, codexHome, launchCommand, prepareLaunch, readFacts, resumeCommand } from './launch.ts'
import { rolloutFold } from './rollout.ts'
import { detectActivity, readDraft, readScreenInput } from './screen.ts'
import { readCodexRules } from './standing-rules.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'agent',
    name: 'codex',
    description: 'OpenAI Codex, read from its hooks and rollout files',
  },
  options: priceOptions,
  create: ({ prices = {} }, context) => createCodexAgent({ context, prices }),
  detect: ({ env }) => askVersion('codex', env, 'npm install --global @openai/codex'),
})

/** A reading stops here and continues the next time: a list of sessions must not wait for one huge rollout. */
const MAX_BYTES_PER_READING = 32 * 1024 * 1024

interface CodexAgentParts {
  context: PluginContext
  prices: PriceTable
  clock?: Clock
}

export function createCodexAgent({ context, prices, clock = systemClock }: CodexAgentParts): Agent {
  const locate = async (session: Session, stateDir: string) => {
    const cache = await openFoldCache(join(stateDir, USAGE_CACHE_FILE), context.log)
    return { cache, rollout: await findRollout(queryFor(session, stateDir, context), cache) }
  }
  return {
    name: 'codex',
    promptDelivery: 'inline',
    activitySource: 'native',
    drawsInputLate: true,
    readsAoDirectory: true,
    repositoryFiles: AGENT_FILES.codex,
    readFacts: (launch) => readFacts(launch, context),
    getLaunchCommand: launchCommand,
    getAcpCommand: () => ['codex-acp'],
    acpSandboxed: true,
    acpModes: {
      skip: ['agent-full-access', 'full-access'],
      'auto-edit': ['workspace-write', 'auto'],
      suggest: ['read-only'],
    },
    getEnvironment: ({ config }) => acpEnvironment({ ...context.env, ...config.env }),
    prepare: async (launch) => prepareLaunch(launch, context, clock),
    getRestoreCommand: async (session, launch) => {
      const thread = await findThread(session, launch, context)
      return thread && resumeCommand(launch, thread.threadId)
    },
    conversation: codexConversation(locate, context),
    getActivityState: async (session, options) => {
      const { rollout } = await locate(session, options.stateDir)
      return readActivity(rollout, options)
    },
    readStandingRules: () => readCodexRules(codexHome(context.home, context.env)),
    inputCommands: inputCommandsOf('codex'),
    detectActivity,
    readScreenInput,
    readDraft,
    getSessionInfo: async (session, options) => {
      const { rollout, cache } = await locate(session, options.stateDir)
      if (!rollout) return null
      const info = await readInfo(rollout, cache, prices)
      await cache.save()
      return info
    },
    hasSeen: async (session, text, since, options) => {
      const { rollout } = await locate(session, options.stateDir)
      return hasSeen(rollout, text, since)
    },
    watchPaths: async (session, options) => {
      const { rollout } = await locate(session, options.stateDir)
      return [hooksPath(options.stateDir), ...(rollout ? [rollout.path] : [])]
    },
  }
}

/** A resumed thread keeps its rollout, which may be older than this launch: so it is remembered. */
async function findThread(session: Session, launch: AgentLaunch, context: PluginContext): Promise<Rollout | null> {
  const cache = await openFoldCache(join(launch.stateDir, USAGE_CACHE_FILE), context.log)
  const query = queryFor({ ...session, workspacePath: launch.workspacePath }, launch.stateDir, context)
  // The thread of the last launch comes first; if that launch left none, an older one is better than a fresh start.
  const rollout = (await findRollout(query, cache)) ?? (await findRollout(query, cache, { anyAge: true }))
  if (rollout) await rememberRollout(launch.stateDir, rollout, context.log)
  return rollout
}

async function readInfo(rollout: Rollout, cache: FoldCache, prices: PriceTable): Promise<AgentSessionInfo | null> {
  const folded = await cache.fold(rollout.path, rolloutFold, { maxBytes: MAX_BYTES_PER_READING })
  if (!folded) return null
  const { name, firstPrompt, model, usage, lastMessage } = folded.state
  const rows = Object.entries(usage).map(([ofModel, tokens]) => ({ model: ofModel, usage: tokens }))
  return {
    summary: name ?? firstPrompt,
    summaryIsFallback: (name === null && firstPrompt !== null) || undefined,
    agentSessionId: rollout.threadId,
    model: model ?? undefined,
    cost: folded.complete ? totalCost(rows, prices) : undefined,
    lastMessage: lastMessage ?? undefined,
  }
}

function queryFor(session: Session, stateDir: string, { home, env, log }: PluginContext) {
  return { workspacePath: session.workspacePath ?? '', stateDir, home, env, log }
}
