// Commands in a place that wait for home. Home notes the number of one before it carries it out, so one whose number was
// noted by an earlier line, and that nobody answers, will never be answered: it is cut off instead of waiting for ever.

export interface WaitingAsk {
  id: string
  /** Of its fact in the log. */
  n: number
  isTaken: boolean
}

/** A line comes that has read everything up to `read`. */
export function abandonedAsks<A extends WaitingAsk>(waiting: Iterable<A>, read: number): A[] {
  return [...waiting].filter(({ n, isTaken }) => !isTaken && n <= read)
}
