// Codex as an agent of ao. It is told everything by flags and read from its own files.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AGENT_FILES } from '../../contract/agent-files.ts'
import type { AgentSessionInfo, Session } from '../../contract/session.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Agent, AgentLaunch } from '../../slots/agent.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { type PriceTable, totalCost } from '../agent-files/cost/prices.ts'
import { type FoldCache, openFoldCache, USAGE_CACHE_FILE } from '../agent-files/fold-cache.ts'
import { hooksPath } from '../agent-files/hook-events.ts'
import { programWords } from '../agent-files/program-words.ts'
import { codexHome, stateFiles } from './codex-paths.ts'
import { detectActivity } from './detect-activity.ts'
import { findRollout, type Rollout, rememberRollout } from './find-rollout.ts'
import { hasSeen } from './has-seen.ts'
import { decideHooks, type HookDecision, hookDefinitionFlags } from './hook-flags.ts'
import { isLongPrompt, launchCommand, resumeCommand, trustFlags } from './launch-command.ts'
import { readLaunchRecord, writeLaunchRecord } from './launch-record.ts'
import { listHooks } from './list-hooks.ts'
import { readActivity } from './read-activity.ts'
import { readScreenInput } from './read-screen-input.ts'
import { rolloutFold } from './rollout-fold.ts'

/** A reading ends here and goes on the next time: a list of sessions must not wait for one huge rollout. */
const MAX_BYTES_PER_READING = 32 * 1024 * 1024

export interface CodexAgentParts {
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
    readsAoDirectory: true,
    repositoryFiles: AGENT_FILES.codex,
    getLaunchCommand: (launch) => launchCommand(launch, hooksOf(launch)),
    getAcpCommand: () => ['codex-acp'],
    acpModes: {
      skip: ['agent-full-access', 'full-access'],
      'auto-edit': ['workspace-write', 'auto'],
      suggest: ['read-only'],
    },
    getEnvironment: () => ({}),
    prepare: (launch) => prepareLaunch(launch, context, clock),
    getRestoreCommand: async (session, launch) => {
      const thread = await findThread(session, launch, context)
      return thread && resumeCommand(launch, await askHooks(launch, context), thread.threadId)
    },
    getActivityState: async (session, options) => {
      const { rollout } = await locate(session, options.stateDir)
      return readActivity(rollout, options)
    },
    detectActivity,
    readScreenInput,
    getSessionInfo: async (session, options) => {
      const { rollout, cache } = await locate(session, options.stateDir)
      if (!rollout) return null
      const info = await readInfo(rollout, cache, prices)
      await cache.save()
      return info
    },
    hasSeen: async (session, text, since, options) => {
      const { rollout } = await locate(session, options.stateDir)
      return hasSeen({ stateDir: options.stateDir, rollout }, text, since)
    },
    watchPaths: async (session, options) => {
      const { rollout } = await locate(session, options.stateDir)
      return [hooksPath(options.stateDir), ...(rollout ? [rollout.path] : [])]
    },
  }
}

function hooksOf(launch: AgentLaunch): HookDecision {
  return readLaunchRecord(launch.stateDir)?.hooks ?? { use: 'as configured' }
}

async function prepareLaunch(launch: AgentLaunch, context: PluginContext, clock: Clock): Promise<void> {
  const { stateDir, prompt, config } = launch
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  if (prompt !== undefined && isLongPrompt(prompt)) writeFileAtomic(stateFiles.prompt(stateDir), prompt)
  writeLaunchRecord(stateDir, {
    launchedAt: clock.now().toISOString(),
    codexHome: codexHome(context.home, context.env, config.env),
    isResume: launch.isResume === true,
    hasPrompt: prompt !== undefined,
    // The command of a resume was made before this and holds its hooks already.
    hooks: launch.isResume ? hooksOf(launch) : await askHooks(launch, context),
  })
}

async function askHooks(launch: AgentLaunch, context: PluginContext): Promise<HookDecision> {
  const { workspacePath, hookCommand, config } = launch
  const flags = [...trustFlags(workspacePath), ...hookDefinitionFlags(hookCommand)]
  const command = [...programWords(config, 'codex'), 'app-server', ...flags]
  const listed = await listHooks({ command, cwd: workspacePath, env: { ...context.env, ...config.env } }, context.log)
  const decision = decideHooks(listed, hookCommand)
  if (decision.use === 'none') {
    context.log.warn(
      'No hook of Codex runs in this session, because some were not reviewed; review them in codex with /hooks',
      {
        hooks: decision.unreviewed,
      },
    )
  }
  return decision
}

/** What is resumed keeps its rollout, which may be older than this launch: so it is remembered. */
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
    ...(name === null && firstPrompt !== null ? { summaryIsFallback: true } : {}),
    agentSessionId: rollout.threadId,
    ...(model === null ? {} : { model }),
    ...(folded.complete ? { cost: totalCost(rows, prices) } : {}),
    ...(lastMessage === null ? {} : { lastMessage }),
  }
}

function queryFor(session: Session, stateDir: string, { home, env, log }: PluginContext) {
  return { workspacePath: session.workspacePath ?? '', stateDir, home, env, log }
}
