// The plugin `aider` of the agent slot. Aider's files stay outside the workspace; its questions are visible only on its
// screen.

import { join } from 'node:path'
import { agentRow, factsOfRow, howToInstall } from '../../contract/agents/agent-table.ts'
import type { ScreenInput } from '../../contract/dialog.ts'
import type { AgentSessionInfo, Session } from '../../contract/session.ts'
import type { ActivityState } from '../../contract/status.ts'
import { excludeFromGit } from '../../git/keep-out-of-git.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { detectOnPath } from '../../lib/find-executable.ts'
import type { ActivityReading, Agent, AgentLaunch, ReadOptions } from '../../slots/agent.ts'
import { definePlugin, NO_OPTIONS } from '../../slots/plugin.ts'
import { activityFromAge, turnEnd } from '../agent-files/age-activity.ts'
import { readLaunchNote, sinceLaunch, writeLaunchNote } from '../agent-files/launch-note.ts'
import { holdsMessage } from '../agent-files/message-text.ts'
import { programArgv } from '../agent-files/program-argv.ts'
import { promptTitle } from '../agent-files/prompt-title.ts'
import { readTextTail } from '../agent-files/read-text.ts'
import { readYesNo } from '../agent-files/screen/read-yes-no.ts'
import { readScreenLog, recordScreen } from '../agent-files/screen/screen-log.ts'
import type { TurnEvent } from '../agent-files/turn-event.ts'
import { parseChat, parseInput } from './histories.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'agent',
    name: 'aider',
    description: 'Aider, read from its histories and its screen',
  },
  options: NO_OPTIONS,
  create: () => createAiderAgent(),
  // Its `--version` takes seconds, so existence has to be enough.
  detect: async ({ env }) => detectOnPath('aider', { env, fix: howToInstall(agentRow('aider')!) }),
})

const NAME = 'aider'
const CHAT_BYTES = 4 * 1024 * 1024
const INPUT_BYTES = 1024 * 1024

export function createAiderAgent(clock: Clock = systemClock): Agent {
  return {
    name: NAME,
    promptDelivery: 'post-launch',
    activitySource: 'screen',
    readsAoDirectory: true,
    ...factsOfRow('aider'),
    getLaunchCommand: launchCommand,
    getEnvironment: () => ({}),
    prepare: async ({ stateDir, workspacePath }) => {
      // Its map of the repository is kept in the worktree whatever the flags say.
      excludeFromGit(workspacePath, '.aider*', /^\.aider\*\s*$/m)
      writeLaunchNote(stateDir, NAME, { launchedAt: clock.now(), dataDir: stateDir, isResume: false })
    },
    getActivityState: readActivity,
    detectActivity,
    readScreenInput,
    getSessionInfo: (_session, options) => readInfo(options),
    hasSeen: (_session, text, since, options) => hasSeen(text, since, options),
    recordActivity: async (session, terminalText, now) => recordScreen(session, terminalText, detectActivity, now),
    watchPaths: async (_session, { stateDir }) => [stateFiles.chat(stateDir), stateFiles.input(stateDir)],
  }
}

/** The chat shows when a turn began and ended; only the screen shows what lies between, and every question. */
async function readActivity(session: Session, options: ReadOptions): Promise<ActivityReading | null> {
  const note = readLaunchNote(options.stateDir, NAME)
  const turn = sinceLaunch(await lastTurn(options), note, options.now)
  const seen = readScreenLog(session, options, turn?.at ?? note?.launchedAt)
  if (seen || !turn) return seen
  const { kind, at, evidence } = turn
  if (kind === 'exited') return { state: 'exited', timestamp: at, evidence }
  const state = activityFromAge({ kind, at, ...options })
  const reading: ActivityReading = { state, timestamp: at, evidence, ...turnEnd(kind) }
  // The screen is the better witness, as long as something may be happening on it.
  return session.runtimeHandle && reading.state !== 'idle' ? null : reading
}

async function lastTurn({ stateDir }: ReadOptions): Promise<TurnEvent | null> {
  const tail = await readTextTail(stateFiles.chat(stateDir), CHAT_BYTES)
  const kind = tail && parseChat(tail.text).kind
  return kind ? { kind, at: tail.modifiedAt, evidence: `aider: its chat history ends ${kind}` } : null
}

async function readInfo({ stateDir }: ReadOptions): Promise<AgentSessionInfo | null> {
  const tail = await readTextTail(stateFiles.chat(stateDir), CHAT_BYTES)
  if (!tail) return null
  const chat = parseChat(tail.text)
  if (chat.firstMessage === null && chat.model === null) return null
  const cost = {
    inputTokens: chat.sentTokens,
    outputTokens: chat.receivedTokens,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    estimatedCostUsd: chat.costUsd,
  }
  // Only the end of a very long chat is read: its beginning and its sums are then unknown.
  const summary = (tail.fromStart && promptTitle(chat.firstMessage ?? '')) || null
  return {
    summary,
    summaryIsFallback: summary !== null || undefined,
    // Aider has no resumable sessions.
    agentSessionId: null,
    model: chat.model ?? undefined,
    cost: tail.fromStart ? cost : undefined,
  }
}

async function hasSeen(text: string, since: Date, { stateDir }: ReadOptions): Promise<boolean> {
  const tail = await readTextTail(stateFiles.input(stateDir), INPUT_BYTES)
  return parseInput(tail?.text ?? '').some(({ at, text: entered }) => at >= since && holdsMessage(entered, text))
}

/** Each of these would otherwise ask something at the start, or about a link in the task. */
const NO_DIALOGS = [
  '--no-check-update',
  '--no-show-release-notes',
  '--no-show-model-warnings',
  '--no-gitignore',
  '--no-detect-urls',
  '--analytics-disable',
]

/** The task is not included: with `--message` Aider would answer once and exit. */
function launchCommand(launch: AgentLaunch): string[] {
  return [
    ...programArgv(launch.config, 'aider'),
    ...NO_DIALOGS,
    '--chat-history-file',
    stateFiles.chat(launch.stateDir),
    '--input-history-file',
    stateFiles.input(launch.stateDir),
    // Aider edits without asking in every mode; this answers its other questions.
    ...(launch.permissions === 'skip' ? ['--yes-always'] : []),
    ...(launch.model === undefined ? [] : ['--model', launch.model]),
    '--read',
    join(launch.workspacePath, '.ao', 'AGENTS.md'),
    ...(launch.systemPromptFile === undefined ? [] : ['--read', launch.systemPromptFile]),
    ...(launch.config.args ?? []),
  ]
}

/** The files that Aider is configured to write outside the workspace. */
const stateFiles = {
  /** Markdown: `#### ` before the user's lines, `> ` before Aider's own. */
  chat: (stateDir: string) => join(stateDir, 'aider.chat.history.md'),
  /** One entry per message, with the time at which it was entered. */
  input: (stateDir: string) => join(stateDir, 'aider.input.history'),
}

const ASKS = /\(Y\)es\/\(N\)o[^\n]{0,300}\]:?\s{0,50}$/
const WORKS = /\bWaiting for \S|\bUpdating repo map\b|\bRetrying in \d/
/** `> `, or the edit format before it: `architect> `, `ask> `. */
const PROMPT = /^(?:[a-z][\w-]*(?: multi)?)?> ?$/
const FAILED = /\blitellm\.\w*(?:Error|Exception)\b/

const LINES = 15

/** Reads Aider's screen and answers its dialogs. */
function detectActivity(terminalText: string): ActivityState | null {
  const lines = terminalText.trimEnd().split('\n').slice(-LINES)
  const last = lines.at(-1) ?? ''
  if (last.trim() === '') return null
  if (ASKS.test(last)) return 'waiting_input'
  if (WORKS.test(last)) return 'active'
  if (!PROMPT.test(last.trimEnd())) return null
  // Above the prompt is the result of the last message; a token report ends a successful one.
  const outcome = lines.findLast((line) => FAILED.test(line) || line.startsWith('Tokens: '))
  return outcome !== undefined && FAILED.test(outcome) ? 'blocked' : 'ready'
}

/** Its question is in its last line, and so is its prompt. While it works it reads lines, and the next one waits. */
function readScreenInput(terminalText: string): ScreenInput {
  const lines = terminalText.trimEnd().split('\n')
  const dialog = readYesNo(lines)
  if (dialog) return { takes: 'keys', dialog }
  return { takes: TYPED.test(lines.at(-1) ?? '') ? 'text' : 'unknown' }
}

/** With or without something typed there. */
const TYPED = /^(?:[a-z][\w-]*(?: multi)?)?>(?: |$)/
