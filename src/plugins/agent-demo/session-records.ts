// What the demo agent records about itself, one JSON line each, and what a reader may conclude from it: activity, summary,
// messages seen.
import type { AgentSessionInfo } from '../../contract/session.ts'
import { idField } from '../../core/text/json-fields.ts'
import { readTailUntil } from '../../lib/read-jsonl.ts'
import type { ActivityReading, ReadOptions } from '../../slots/agent.ts'
import { activityFromAge, type LastEventKind, turnEnd } from '../agent-files/age-activity.ts'
import { readLaunchNote } from '../agent-files/launch-note.ts'
import { promptTitle } from '../agent-files/prompt-title.ts'
import type { Reaction, Step } from './script/script.ts'

export const DEMO_AGENT = 'demo'
export const DEMO_LOG_NAME = 'demo-session.jsonl'

export type DemoRecordBody =
  /** `hasWork`: a turn begins immediately, so it is never ready in between. */
  | { type: 'session.started'; id: string; pid: number; cwd: string; resumed: boolean; hasWork: boolean }
  /** Entered and accepted, even when it has to wait for the current turn to end. */
  | { type: 'message.received'; number: number; text: string }
  | { type: 'turn.started'; message: number | null }
  /** The whole remaining plan, whenever it changes; `step.done` counts from its beginning. */
  | { type: 'plan'; steps: Step[]; reactions: Reaction[] }
  | { type: 'step.done'; index: number }
  | { type: 'progress'; text: string }
  | { type: 'said'; text: string }
  | { type: 'waiting'; kind: 'question' | 'permission'; text: string }
  | { type: 'answered'; message: number }
  | { type: 'turn.ended'; how: 'finished' | 'failed' | 'interrupted'; text: string }
  | { type: 'summary'; text: string }
  | { type: 'session.ended'; code: number }

export type DemoRecord = DemoRecordBody & { at: string }

/** The records of the newest conversation: a fresh start in the same file begins another one. */
export function newestConversation(records: DemoRecord[]): DemoRecord[] {
  const start = records.findLastIndex((record) => record.type === 'session.started' && !record.resumed)
  return start === -1 ? records : records.slice(start)
}

/** A line of the log, or null when it is damaged or unknown. */
export function parseDemoRecord(value: unknown): DemoRecord | null {
  if (typeof value !== 'object' || value === null) return null
  const { type, at } = value as { type?: unknown; at?: unknown }
  if (typeof type !== 'string' || typeof at !== 'string' || Number.isNaN(Date.parse(at))) return null
  return value as DemoRecord
}

/** The runtime proves an end and knows its exit code; the agent's own farewell counts only when that proof is late. */
const FAREWELL_MS = 5_000

export async function readActivity(options: ReadOptions): Promise<ActivityReading | null> {
  const records = await readRecords(options, (all) => all.some((record) => stateOf(record) !== null))
  const last = records.findLast((record) => stateOf(record) !== null)
  if (!last) return null
  const at = new Date(last.at)
  // What an earlier process wrote, its farewell above all, says nothing about the one that starts now.
  const note = readLaunchNote(options.stateDir, DEMO_AGENT)
  if (note && at < note.launchedAt) return null
  const evidence = `demo log: ${describe(last)}`
  const kind = stateOf(last)
  if (kind === 'ended') {
    const isLate = options.now.getTime() - at.getTime() > FAREWELL_MS
    return isLate ? { state: 'exited', timestamp: at, evidence } : null
  }
  const { now, readyThresholdMs } = options
  const state = activityFromAge({ kind: kind!, at, now, readyThresholdMs })
  const reading = { state, timestamp: at, evidence, ...turnEnd(kind!) }
  return last.type === 'waiting' && last.kind === 'question' ? { ...reading, asksInWords: true } : reading
}

export async function readInfo(options: ReadOptions): Promise<AgentSessionInfo | null> {
  const records = newestConversation(await readRecords(options, startsWithSession))
  const session = records.find((record) => record.type === 'session.started')
  if (!session) return null
  const summary = records.findLast((record) => record.type === 'summary')?.text
  const prompt = records.find((record) => record.type === 'message.received')?.text
  const lastMessage = records.findLast(
    (record) => record.type === 'said' || record.type === 'summary' || record.type === 'waiting',
  )?.text
  return {
    summary: summary ?? (prompt === undefined ? null : promptTitle(prompt)),
    summaryIsFallback: summary === undefined || undefined,
    agentSessionId: session.id,
    // No model is called, so this is not an estimate.
    cost: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, estimatedCostUsd: 0 },
    lastMessage,
  }
}

export async function readSeen(text: string, since: Date, options: ReadOptions): Promise<boolean> {
  const wanted = comparable(text)
  const reachesBack = (records: DemoRecord[]) => records[0] !== undefined && Date.parse(records[0].at) < since.getTime()
  const records = await readRecords(options, reachesBack)
  return records.some(
    (record) =>
      record.type === 'message.received' &&
      Date.parse(record.at) >= since.getTime() &&
      comparable(record.text) === wanted,
  )
}

export async function readSessionId(stateDir: string): Promise<string | null> {
  const info = await readInfo({ stateDir, now: new Date(0), readyThresholdMs: 0 })
  return idField(info, 'agentSessionId')
}

async function readRecords(options: ReadOptions, isEnough: (records: DemoRecord[]) => boolean): Promise<DemoRecord[]> {
  const parse = (lines: unknown[]) => lines.map(parseDemoRecord).filter((record) => record !== null)
  const path = `${options.stateDir}/${DEMO_LOG_NAME}`
  const tail = await readTailUntil(path, ({ records }) => isEnough(parse(records)))
  return parse(tail?.records ?? [])
}

function startsWithSession(records: DemoRecord[]): boolean {
  return records.some((record) => record.type === 'session.started' && !record.resumed)
}

/** A terminal converts line ends and may drop trailing ones. */
function comparable(text: string): string {
  return text.replace(/\r\n?/g, '\n').trim()
}

function stateOf(record: DemoRecord): LastEventKind | 'ended' | null {
  switch (record.type) {
    case 'session.started':
      return record.hasWork ? 'working' : 'finished'
    case 'message.received':
    case 'turn.started':
    case 'step.done':
    case 'progress':
    case 'said':
    case 'answered':
      return 'working'
    case 'waiting':
      return 'waiting'
    case 'turn.ended':
      return record.how === 'failed' ? 'failed' : 'finished'
    case 'session.ended':
      return 'ended'
    default:
      return null
  }
}

function describe(record: DemoRecord): string {
  if (record.type === 'waiting') return `asks for ${record.kind === 'question' ? 'an answer' : 'permission'}`
  if (record.type === 'turn.ended')
    return record.how === 'failed' && record.text !== '' ? `turn failed: ${record.text}` : `turn ${record.how}`
  if (record.type === 'session.ended') return `ended with ${record.code}`
  return record.type
}
