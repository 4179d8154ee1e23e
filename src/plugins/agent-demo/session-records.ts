// What the demo agent records about itself, one JSON line each, and what a reader may conclude from it.
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
