// The newest known event of a session's turn, from whatever source.
import type { LastEventKind } from './age-activity.ts'

export interface TurnEvent {
  /** `exited`: the agent itself reported its end. */
  kind: LastEventKind | 'exited'
  at: Date
  /** In words, for `ao why`. */
  evidence: string
}

export interface RecordedTurn extends TurnEvent {
  /** A tool is about to run or waits for a permission: the records do not say which. */
  mayWait?: boolean
  /** The next record comes seconds after what it is about; the screen shows that earlier. */
  isOnScreenFirst?: boolean
}

export function newer(a: TurnEvent | null, b: TurnEvent | null): TurnEvent | null {
  if (!a || !b) return a ?? b
  return b.at.getTime() >= a.at.getTime() ? b : a
}

/** The event of the newest record about the turn; null when there is none. */
export function lastTurnIn<Source, Turn extends TurnEvent>(
  records: readonly Source[],
  turnOf: (record: Source) => Turn | null,
): Turn | null {
  for (let index = records.length - 1; index >= 0; index--) {
    const turn = turnOf(records[index]!)
    if (turn) return turn
  }
  return null
}
