// Claude Code as an agent of ao. It is told everything by files outside the workspace and read from its own files.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Session } from '../../contract/session.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Agent, AgentLaunch, ReadOptions } from '../../slots/agent.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { openFoldCache, USAGE_CACHE_FILE } from '../agent-files/fold-cache.ts'
import { hooksPath, readHookEvents } from '../agent-files/hook-events.ts'
import { pathAndTarget, realPath } from '../agent-files/list-directory.ts'
import type { PriceTable } from '../agent-files/prices.ts'
import { readTailUntil } from '../agent-files/read-jsonl.ts'
import { newer } from '../agent-files/turn-event.ts'
import { claudeAccountFile, claudeConfigDir, claudeFiles, stateFiles } from './claude-paths.ts'
import { decideActivity } from './decide-activity.ts'
import { detectActivity } from './detect-activity.ts'
import { findResumable } from './find-resumable.ts'
import { findTranscripts } from './find-transcripts.ts'
import { hasSeen } from './has-seen.ts'
import { lastHookTurn } from './hook-turns.ts'
import { isLongPrompt, launchCommand, longPromptInstructions, resumeCommand } from './launch-command.ts'
import { readLaunchRecord, writeLaunchRecord } from './launch-record.ts'
import { pickProcessFile, readProcessFiles } from './process-file.ts'
import { readInfo } from './read-info.ts'
import { seedAccountFile } from './seed-account-file.ts'
import { claudeMcpConfig, claudeSettings } from './settings-file.ts'
import { lastTranscriptEvent } from './transcript-events.ts'

export interface ClaudeAgentParts {
  context: PluginContext
  prices: PriceTable
  clock?: Clock
  /** Claude refuses to skip permissions as root unless it is told that this is a sandbox. */
  isRoot?: boolean
}

export function createClaudeAgent(parts: ClaudeAgentParts): Agent {
  const { context, prices, clock = systemClock, isRoot = process.getuid?.() === 0 } = parts
  return {
    name: 'claude-code',
    processName: 'claude',
    promptDelivery: 'inline',
    activitySource: 'native',
    readsAoDirectory: false,
    getLaunchCommand: (launch) => launchCommand(launch, newSessionId(launch)),
    getEnvironment: (launch) => claudeEnvironment(launch, isRoot),
    prepare: (launch) => prepareLaunch(launch, context, clock),
    getRestoreCommand: async (session, launch) => {
      const cache = await openCache(launch.stateDir, context)
      const sessionId = await findResumable(queryFor(session, launch.stateDir, context, launch.workspacePath), cache)
      return sessionId === null ? null : resumeCommand(launch, sessionId)
    },
    getActivityState: (session, options) => readActivity(session, options, context),
    detectActivity,
    getSessionInfo: async (session, options) => {
      const cache = await openCache(options.stateDir, context)
      const { transcripts } = await findTranscripts(queryFor(session, options.stateDir, context), cache)
      const info = await readInfo(transcripts, cache, prices)
      await cache.save()
      return info
    },
    hasSeen: async (session, text, since, options) => {
      const cache = await openCache(options.stateDir, context)
      const { transcripts } = await findTranscripts(queryFor(session, options.stateDir, context), cache)
      return hasSeen({ stateDir: options.stateDir, transcript: transcripts.at(-1) }, text, since)
    },
    watchPaths: async (session, options) => {
      const cache = await openCache(options.stateDir, context)
      const found = await findTranscripts(queryFor(session, options.stateDir, context), cache)
      const paths = found.transcripts.map(({ path }) => path)
      return [hooksPath(options.stateDir), claudeFiles.processes(found.configDir), ...paths]
    },
  }
}

/** The id that `prepare` chose, as long as no session with it exists: Claude takes an id only once. */
function newSessionId(launch: AgentLaunch): string | null {
  const record = readLaunchRecord(launch.stateDir)
  if (!record) return null
  const transcript = claudeFiles.transcript(record.configDir, realPath(launch.workspacePath), record.sessionId)
  return existsSync(transcript) ? null : record.sessionId
}

function claudeEnvironment(launch: AgentLaunch, isRoot: boolean): Record<string, string> {
  return {
    // Set when ao itself runs inside Claude Code; the inner one would take itself for a part of the outer one.
    CLAUDECODE: '',
    CLAUDE_CODE_ENTRYPOINT: '',
    ...(isRoot && launch.permissions === 'skip' ? { IS_SANDBOX: '1' } : {}),
  }
}

async function prepareLaunch(launch: AgentLaunch, context: PluginContext, clock: Clock): Promise<void> {
  const { stateDir, workspacePath, config } = launch
  const { home, env } = context
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  writeJson(stateFiles.settings(stateDir), claudeSettings(launch))
  writeJson(stateFiles.mcp(stateDir), claudeMcpConfig(launch))
  writeLongPrompt(launch)
  writeLaunchRecord(stateDir, {
    sessionId: randomUUID(),
    configDir: claudeConfigDir(home, env, config.env),
    launchedAt: clock.now(),
  })
  const seeds = {
    workspacePaths: pathAndTarget(workspacePath),
    apiKey: config.env?.ANTHROPIC_API_KEY ?? env.ANTHROPIC_API_KEY,
  }
  await seedAccountFile(claudeAccountFile(home, env, config.env), seeds, context.log)
}

function writeLongPrompt(launch: AgentLaunch): void {
  if (launch.prompt === undefined || !isLongPrompt(launch.prompt)) return
  const systemPrompt = launch.systemPromptFile ? readFileSync(launch.systemPromptFile, 'utf8') : ''
  writeFileAtomic(stateFiles.longPrompt(launch.stateDir), longPromptInstructions(systemPrompt, launch.prompt))
}

async function readActivity(session: Session, options: ReadOptions, context: PluginContext) {
  const { stateDir, now, readyThresholdMs } = options
  const query = queryFor(session, stateDir, context)
  const cache = await openCache(stateDir, context)
  const found = await findTranscripts(query, cache)
  const newest = found.transcripts.at(-1)
  const [files, events, tail] = await Promise.all([
    readProcessFiles(found.configDir),
    readHookEvents(stateDir, (some) => lastHookTurn(some) !== null),
    newest ? readTailUntil(newest.path, ({ records }) => lastTranscriptEvent(records) !== null) : null,
  ])
  const ids = [...found.knownIds, ...found.transcripts.map(({ sessionId }) => sessionId)]
  return decideActivity({
    processFile: pickProcessFile(files, { sessionIds: ids, workspacePaths: pathAndTarget(query.workspacePath) }),
    turn: newer(tail ? lastTranscriptEvent(tail.records) : null, lastHookTurn(events)),
    launchedAt: found.launchedAt,
    now,
    readyThresholdMs,
  })
}

function queryFor(session: Session, stateDir: string, { home, env }: PluginContext, workspacePath?: string) {
  return { workspacePath: workspacePath ?? session.workspacePath ?? '', stateDir, home, env }
}

function openCache(stateDir: string, context: PluginContext) {
  return openFoldCache(join(stateDir, USAGE_CACHE_FILE), context.log)
}

function writeJson(path: string, content: unknown): void {
  writeFileAtomic(path, `${JSON.stringify(content, null, 2)}\n`, { durable: false })
}
