// What a session's record says about its pull request and its turn: the last word of the forge, until it says another.
import type { PrFacts } from './derive-status.ts'

/** One key, so that facts of an earlier pull request can never pass for those of a new one. */
export function formatPrFacts(url: string, { state, ci, review, mergeable }: PrFacts): string {
  return JSON.stringify({ url, state, ci, review, mergeable })
}

export function recordedPrFacts(metadata: Record<string, string>): PrFacts | null {
  if (!metadata.prFacts || !metadata.pr) return null
  try {
    const { url, ...facts } = JSON.parse(metadata.prFacts) as PrFacts & { url: string }
    return url === metadata.pr ? facts : null
  } catch {
    // Edited by hand: then only the status word counts.
    return null
  }
}

/** Did the forge itself say that it is merged? The status alone may be the agent's word. */
export function isMergeConfirmed(metadata: Record<string, string>): boolean {
  return metadata.status === 'merged' && (!metadata.pr || recordedPrFacts(metadata)?.state === 'merged')
}

/** Statuses that a verdict of others put the agent into: its turn began when the status did. */
const ANSWERING: ReadonlySet<string> = new Set(['working', 'ci_failed', 'changes_requested'])

export function recordedTurn(metadata: Record<string, string>): number | null {
  const times = [metadata.lastMessageAt, ANSWERING.has(metadata.status ?? '') ? metadata.statusSince : undefined]
    .map((text) => Date.parse(text ?? ''))
    .filter((time) => !Number.isNaN(time))
  return times.length === 0 ? null : Math.max(...times)
}
