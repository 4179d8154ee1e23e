// The raw log of a run: one JSON object per line, appended by whoever saw it. Every figure comes from here and from nowhere else.
import { appendFileSync, readFileSync } from 'node:fs'

/** What an orchestrator says of a change, in words that any of them can be translated to. */
export type State = 'working' | 'waiting' | 'person' | 'landed' | 'ended' | 'unknown'

/** Whose time or trust a run of the check costs. The audit is ours, after the day, and counts for nobody. */
export type CheckedBy = 'ci' | 'agent' | 'audit'

export type EventBody =
  | { what: 'run'; adapter: string; world: string; seed: number; features: string[] }
  | { what: 'started' | 'committed'; feature: string }
  | { what: 'published' | 'rebased'; feature: string; head: string }
  | { what: 'gave-up'; feature: string; why: string }
  /** A message as the agent got it: its hash and beginning, numbers of whole messages of ours in it, and how often it has itself in it. */
  | { what: 'received'; feature: string; sha: string; text: string; marks: number[]; torn: number; repeats: number }
  | { what: 'sent'; feature: string; mark: number; accepted: boolean }
  | { what: 'check'; by: CheckedBy; commit: string; tree: string; code: number | null; ms: number }
  | { what: 'person'; act: string; feature: string | null; minutes: number }
  | { what: 'state'; feature: string; state: State; shows: string }
  /** The base branch was seen at this commit. */
  | { what: 'base'; commit: string }
  /** Afterwards, for each commit of the base branch, oldest first: was it green, and which changes did it bring? `null`: its check did not end. */
  | { what: 'audit'; commit: string; code: number | null; landed: string[] }
  /** After the last of these the orchestrator was started again. */
  | { what: 'struck'; how: string }
  | { what: 'weight'; sessions: number; seconds: number; cpuSeconds: number; rssMb: number; requests: number }
  | { what: 'end'; why: string }

export type LogEvent = EventBody & { at: number }

/** Short lines in one write each, so that several processes can append to one file. */
export function append(path: string, body: EventBody): void {
  appendFileSync(path, `${JSON.stringify({ at: Date.now(), ...body })}\n`)
}

export function readLog(path: string): LogEvent[] {
  return parseLog(readFileSync(path, 'utf8'))
}

export function parseLog(text: string): LogEvent[] {
  const events = text.split('\n').flatMap((line, index) => {
    if (line === '') return []
    try {
      return [JSON.parse(line) as LogEvent]
    } catch {
      throw new Error(`Line ${index + 1} of the log is not valid JSON`)
    }
  })
  // Several processes wrote it; those of one moment stay as they were written.
  return events.sort((a, b) => a.at - b.at)
}
