// What an agent of the table is doing, said and used, from its session files; otherwise from its screen.
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { recordOf } from '../../contract/record.ts'
import type { AgentSessionInfo, Session } from '../../contract/session.ts'
import type { JsonObject } from '../../core/text/json-fields.ts'
import { readHead, readTailUntil } from '../../lib/read-jsonl.ts'
import type { ActivityReading, ReadOptions, Seen } from '../../slots/agent.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { type Fold, openFoldCache, USAGE_CACHE_FILE } from '../agent-files/fold-cache.ts'
import type { LaunchNote } from '../agent-files/launch-note.ts'
import { listDirectory, ownFiles, pathAndTarget } from '../agent-files/list-directory.ts'
import type { PriceTable } from '../agent-files/prices.ts'
import { promptTitle } from '../agent-files/prompt-title.ts'
import { recordsShow } from '../agent-files/records-show.ts'
import { activityOfTurn } from '../agent-files/screen/activity-of-turn.ts'
import { type Counted, countAnswer, NOTHING_COUNTED, readFolded } from '../agent-files/session-info.ts'
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

const MOST_FILES = 50
const HEAD_BYTES = 64 * 1024

async function fileAt(path: string): Promise<{ path: string; changedAt: number }> {
  const stats = await stat(path).catch(() => null)
  return { path, changedAt: stats?.isFile() ? stats.mtimeMs : 0 }
}

/** Every file of the session, not only the one that changed last. Names of directories are ambiguous: where its records say, they count. */
export async function sessionFiles({ format, dataDir, note }: RecordsOf, session: Session): Promise<string[]> {
  const { workspacePath, createdAt } = session
  if (workspacePath === null) return []
  const directories = format.directories(dataDir, workspacePath, note?.agentSessionId ?? null)
  const files = (await Promise.all(directories.map((one) => ownFiles(one, /\.jsonl$/, MOST_FILES)))).flat()
  const ids = [note?.agentSessionId, recordOf(session).conversation].filter((id) => id !== undefined)
  const own = files.map(async ({ path, name, at }) => {
    const isOurs = at >= createdAt || ids.some((id) => format.hasId(name, id))
    if (!isOurs || !format.isRecordFile(name)) return []
    const records = format.cut ? ((await readHead(path, HEAD_BYTES))?.records ?? []) : []
    const heldIn = records.flatMap((record) => format.cut?.directory(record) ?? [])[0]
    return format.cut === undefined || pathAndTarget(workspacePath).includes(heldIn ?? '') ? [path] : []
  })
  return (await Promise.all(own)).flat()
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

export async function hasSeen(records: RecordsOf, session: Session, text: string, since: Date): Promise<Seen> {
  const file = (await findRecords(records, session)) ?? undefined
  return recordsShow({ file, enteredText: records.format.enteredText }, text, since)
}

function foldOf(name: string, format: RecordFormat): Fold<Counted> {
  return {
    rules: `${name}-records-1`,
    start: () => ({ ...NOTHING_COUNTED, usage: {} }),
    step: (state, record) => {
      state.firstPrompt ??= promptTitle(format.enteredText(record) ?? '') || null
      const answer = format.answerOf(record)
      if (answer) countAnswer(state, answer)
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
  const sessionId = records.note?.agentSessionId ?? null
  return readFolded({ cache, prices }, { path: file, fold: foldOf(name, records.format), sessionId })
}
