// The plugin `codex` of the agent slot. Codex gets its instructions from flags and is observed through its own files.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { agentRow, factsOfRow, howToInstall } from '../../contract/agents/agent-table.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { readIfReachable } from '../../lib/plain-file.ts'
import type { Agent, AgentConversation, AgentFork, AgentLaunch, AgentRule } from '../../slots/agent.ts'
import { definePlugin, type PluginContext } from '../../slots/plugin.ts'
import { askVersion } from '../agent-files/ask-version.ts'
import { openFoldCache, USAGE_CACHE_FILE } from '../agent-files/fold-cache.ts'
import { forkOfRecords } from '../agent-files/fork-records.ts'
import { hooksPath } from '../agent-files/hook-events.ts'
import { priceOptions } from '../agent-files/price-options.ts'
import type { PriceTable } from '../agent-files/prices.ts'
import { readFolded } from '../agent-files/session-info.ts'
import { transcriptsOf } from '../agent-files/transcripts.ts'
import { hasSeen, readActivity } from './activity.ts'
import { findRollout, listThreads, type Rollout, rememberRollout } from './find-rollout.ts'
import {
  acpEnvironment,
  codexHome,
  forkCommand,
  launchCommand,
  prepareLaunch,
  readFacts,
  readLaunchRecord,
  resumeCommand,
} from './launch.ts'
import { rolloutFold, spokenIn } from './rollout.ts'
import { rolloutCut } from './rollout-cut.ts'
import { detectActivity, readDraft, readScreenInput } from './screen.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'agent',
    name: 'codex',
    description: 'OpenAI Codex, read from its hooks and rollout files',
  },
  options: priceOptions,
  create: ({ prices = {} }, context) => createCodexAgent({ context, prices }),
  detect: ({ env }) => askVersion('codex', env, howToInstall(agentRow('codex')!)),
})

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
    ...factsOfRow('codex'),
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
    listConversations: (directories) => listThreads(codexHome(context.home, context.env), directories),
    fork: codexFork(context, clock),
    ...transcriptsOf(codexConversation(locate, context), spokenIn),
    getActivityState: async (session, options) => {
      const { rollout } = await locate(session, options.stateDir)
      return readActivity(rollout, options)
    },
    readStandingRules: () => readCodexRules(codexHome(context.home, context.env)),
    detectActivity,
    readScreenInput,
    readDraft,
    getSessionInfo: async (session, options) => {
      const { rollout, cache } = await locate(session, options.stateDir)
      if (!rollout) return null
      const file = { path: rollout.path, fold: rolloutFold, sessionId: rollout.threadId }
      return readFolded({ cache, prices }, file, ({ name }) => name)
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

function queryFor(session: Session, stateDir: string, { home, env, log }: PluginContext) {
  const adopted = recordOf(session).conversation
  return { workspacePath: session.workspacePath ?? '', adopted, stateDir, home, env, log }
}

function codexFork(context: PluginContext, clock: Clock): AgentFork {
  const { home, env, log } = context
  return forkOfRecords({
    rules: rolloutCut,
    async find({ workspacePath }, stateDir) {
      const own = readLaunchRecord(stateDir)?.codexHome ?? codexHome(home, env)
      return workspacePath === null ? [] : listThreads(own, [workspacePath])
    },
    async target(launch) {
      const at = clock.now().toISOString().slice(0, 19)
      const day = at.slice(0, 10).split('-')
      const name = `rollout-${at.replaceAll(':', '-')}-${launch.conversationId}.jsonl`
      return join(codexHome(home, env, launch.config.env), 'sessions', ...day, name)
    },
    async remember({ stateDir }, path) {
      mkdirSync(stateDir, { recursive: true, mode: 0o700 })
      await rememberRollout(stateDir, { path }, log)
    },
    command: forkCommand,
  })
}

type Locate = (
  session: Parameters<AgentConversation['files']>[0],
  stateDir: string,
) => Promise<{ rollout: Rollout | null }>

/** Below Codex's own directory. */
const NAME = /(?:^|\/)(sessions\/\d{4}\/\d{2}\/\d{2}\/rollout-[\w.-]{1,150}\.jsonl)$/

/**
 * Codex's thread of a session on its way to another machine: one rollout file, which Codex finds by the id in its name.
 */
function codexConversation(locate: Locate, context: PluginContext): AgentConversation {
  return {
    async files(session, { stateDir }) {
      const { rollout } = await locate(session, stateDir)
      const name = NAME.exec(rollout?.path ?? '')?.[1]
      return rollout && name ? { [name]: rollout.path } : {}
    },
    async adopt(names, { stateDir, config }) {
      const name = names.find((one) => NAME.exec(one)?.[1] === one)
      if (name === undefined) return {}
      const path = join(codexHome(context.home, context.env, config.env), name)
      mkdirSync(stateDir, { recursive: true, mode: 0o700 })
      // Its first record names the directory of the other machine, so a search would not find it.
      await rememberRollout(stateDir, { path }, context.log)
      return { [name]: path }
    },
  }
}

const MAX_BYTES = 1024 * 1024
const MOST_RULES = 500
const DECISIONS = { allow: 'allow', forbidden: 'deny', prompt: 'ask' } as const

/**
 * Commands that Codex runs without asking because somebody answered so: it appends them to its own rules, for all its sessions.
 */
export function readCodexRules(codexHome: string): AgentRule[] {
  const file = join(codexHome, 'rules', 'default.rules')
  const lines = readIfReachable(file, { maxBytes: MAX_BYTES })?.split('\n') ?? []
  return lines
    .flatMap((line) => {
      const text = line.trim()
      if (!text.startsWith('prefix_rule(')) return []
      const decision = /decision\s*=\s*"(allow|prompt|forbidden)"/.exec(text)?.[1] as keyof typeof DECISIONS | undefined
      const how = `Remove the line from ${file}; it holds for all sessions of Codex`
      return [{ effect: DECISIONS[decision ?? 'allow'], rule: text, file, how }]
    })
    .slice(0, MOST_RULES)
}
