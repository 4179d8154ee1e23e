// What an agent of the table is doing, said and used, from its session files; otherwise from its screen.
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentSessionInfo, Session } from '../../contract/session.ts'
import type { ActivityReading, ReadOptions } from '../../slots/agent.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { type Fold, openFoldCache, USAGE_CACHE_FILE } from '../agent-files/fold-cache.ts'
import { timeField } from '../agent-files/json-fields.ts'
import type { LaunchNote } from '../agent-files/launch-note.ts'
import { listDirectory } from '../agent-files/list-directory.ts'
import { holdsMessage } from '../agent-files/message-text.ts'
import { addUsage, emptyUsage, type PriceTable, type TokenUsage, totalCost } from '../agent-files/prices.ts'
import { promptTitle } from '../agent-files/prompt-title.ts'
import { type JsonObject, readTailUntil } from '../agent-files/read-jsonl.ts'
import { activityOfTurn } from '../agent-files/screen/activity-of-turn.ts'
import { lastTurnIn, type RecordedTurn } from '../agent-files/turn-event.ts'
import type { RecordFormat } from './record-format.ts'

export interface RecordsOf {
  format: RecordFormat
  dataDir: string
  note: LaunchNote | null
}

/**
 * The file that changed last since the agent was started: after a command such as /clear it is not the one that ao chose.
 */
async function findRecords({ format, dataDir, note }: RecordsOf, session: Session): Promise<string | null> {
  if (session.workspacePath === null) return null
  const id = note?.agentSessionId ?? null
  const files = await Promise.all(
    format.directories(dataDir, session.workspacePath, id).map(async (directory) => {
      const names = (await listDirectory(directory)).filter(format.isRecordFile)
      return Promise.all(names.map(async (name) => ({ name, ...(await fileAt(join(directory, name))) })))
    }),
  )
  const since = note?.launchedAt.getTime() ?? session.createdAt.getTime()
  const found = files.flat().filter(({ changedAt }) => changedAt > 0)
  const newest = found.filter(({ changedAt }) => changedAt >= since).sort((a, b) => b.changedAt - a.changedAt)[0]
  const chosen = id === null ? undefined : found.find(({ name }) => format.hasId(name, id))
  return (newest ?? chosen)?.path ?? null
}

async function fileAt(path: string): Promise<{ path: string; changedAt: number }> {
  const stats = await stat(path).catch(() => null)
  return { path, changedAt: stats?.isFile() ? stats.mtimeMs : 0 }
}

export async function readActivity(
  records: RecordsOf,
  session: Session,
  options: ReadOptions,
): Promise<ActivityReading | null> {
  const { format, note } = records
  const file = await findRecords(records, session)
  const tail = file && (await readTailUntil(file, ({ records: some }) => lastTurnIn(some, format.turnOf) !== null))
  const newest = tail ? newestTurn(format, tail.records, options.now) : null
  return activityOfTurn(newest, note, { session, options })
}

function newestTurn(format: RecordFormat, records: readonly JsonObject[], now: Date): RecordedTurn | null {
  const turn = lastTurnIn(records, format.turnOf)
  return turn && (format.inContext?.(records, turn, now) ?? turn)
}

export async function hasSeen(records: RecordsOf, session: Session, text: string, since: Date): Promise<boolean> {
  const file = await findRecords(records, session)
  if (file === null) return false
  const tail = await readTailUntil(file, ({ records: some }) =>
    some.some((record) => (timeField(record, 'timestamp') ?? since) < since),
  )
  return (tail?.records ?? []).some((record) => {
    const at = timeField(record, 'timestamp')
    return at !== null && at >= since && holdsMessage(records.format.enteredText(record) ?? '', text)
  })
}

interface Counted {
  model: string | null
  usage: Record<string, TokenUsage>
  firstPrompt: string | null
  lastMessage: string | null
}

const MAX_MESSAGE_CHARS = 4_000
/** A reading stops here and continues the next time. */
const MAX_BYTES_PER_READING = 32 * 1024 * 1024

function foldOf(name: string, format: RecordFormat): Fold<Counted> {
  return {
    rules: `${name}-records-1`,
    start: () => ({ model: null, usage: {}, firstPrompt: null, lastMessage: null }),
    step: (state, record) => {
      state.firstPrompt ??= promptTitle(format.enteredText(record) ?? '') || null
      const answer = format.answerOf(record)
      if (!answer) return
      state.model = answer.model ?? state.model
      if (answer.text.trim() !== '') state.lastMessage = answer.text.trim().slice(0, MAX_MESSAGE_CHARS)
      if (!answer.usage) return
      const model = answer.model ?? 'unknown'
      state.usage[model] ??= emptyUsage()
      addUsage(state.usage[model], answer.usage)
    },
  }
}

interface InfoRequest {
  name: string
  stateDir: string
  context: PluginContext
  prices: PriceTable
}

export async function readInfo(
  records: RecordsOf,
  session: Session,
  { name, stateDir, context, prices }: InfoRequest,
): Promise<AgentSessionInfo | null> {
  const file = await findRecords(records, session)
  if (file === null) return null
  const cache = await openFoldCache(join(stateDir, USAGE_CACHE_FILE), context.log)
  const folded = await cache.fold(file, foldOf(name, records.format), { maxBytes: MAX_BYTES_PER_READING })
  await cache.save()
  if (!folded) return null
  const { firstPrompt, model, usage, lastMessage } = folded.state
  const rows = Object.entries(usage).map(([ofModel, tokens]) => ({ model: ofModel, usage: tokens }))
  return {
    summary: firstPrompt,
    summaryIsFallback: firstPrompt !== null,
    agentSessionId: records.note?.agentSessionId ?? null,
    model: model ?? undefined,
    cost: folded.complete ? totalCost(rows, prices) : undefined,
    lastMessage: lastMessage ?? undefined,
  }
}
