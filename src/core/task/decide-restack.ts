// What happens to a session that stands on another's branch when that moves, lands or ends. Pure.
import type { StackPosition } from '../../contract/blocker.ts'
import { oneLine } from '../prompt/fence-untrusted.ts'

export interface StackFacts {
  stack: StackPosition & { at: string }
  /** The tip of what its work is for by now. */
  base: string
  /** `base` is in its own history. */
  holdsBase: boolean
  /** The commit that its agent was asked to rebase onto is in its own history. */
  holdsRequested: boolean
  /** The commit that its own work begins after is in the history of `base`, or the other way around. */
  atIsInBase: boolean
  baseIsInAt: boolean
  /** As its forge has it now: another head would need another approval. */
  isApproved: boolean
}

export type StackStep =
  | { act: 'nothing' }
  /** Its own work begins after this commit by now: its agent has rebased it. */
  | { act: 'note'; at: string }
  | { act: 'restack'; onto: string }
  /** Everything below it is in its base: it is like any other from now on. */
  | { act: 'leave' }

export function decideRestack(facts: StackFacts): StackStep {
  const { stack, base, holdsBase, holdsRequested, atIsInBase, baseIsInAt, isApproved } = facts
  if (stack.on === null) {
    if (atIsInBase || holdsBase) return { act: 'leave' }
    // What landed is in its base under other commits. Merged as it is, it adds the same; only a reader sees more than that.
    return isApproved ? { act: 'nothing' } : { act: 'restack', onto: base }
  }
  if (base === stack.at) return { act: 'nothing' }
  // Commits that were taken back below it are not its own.
  if (baseIsInAt) return { act: 'restack', onto: base }
  if (holdsBase) return { act: 'note', at: base }
  const { requested } = stack
  if (requested !== undefined && requested !== stack.at && holdsRequested) return { act: 'note', at: requested }
  return { act: 'restack', onto: base }
}

export interface RestackRequest {
  branch: string
  at: string
  onto: string
  /** Completes "It was not done for you: …". */
  why: string
  files: readonly string[]
}

const MOST_FILES = 20

/** To the agent, once: what it is to rebase by itself, and onto what. */
export function restackMessage({ branch, at, onto, why, files }: RestackRequest): string {
  const named = files.slice(0, MOST_FILES).map((file) => oneLine(file))
  const more = files.length - named.length
  const where = named.length === 0 ? '' : ` (${named.join(', ')}${more > 0 ? ` and ${more} more` : ''})`
  return [
    `Your work stands on ${branch}, which has moved to ${onto}. Your branch was not brought along: ${oneLine(why)}${where}.`,
    `Commit what you have, then rebase your own commits: git rebase --onto ${onto} ${at} (git fetch first if the commit is missing).`,
    'Resolve the conflicts, run the tests, and push your branch as before (git push --force-with-lease).',
  ].join('\n')
}
