// Whether a session that waits may start: when everything it needs has landed, or at once on top of it. Pure.
import type { Blocker, ObservedBlocker, Stand } from '../../contract/blocker.ts'
import { blockerName } from './read-blockers.ts'

export type StartDecision =
  /** `on`: on that branch, before it has landed. */
  | { act: 'start'; on: Stand | null }
  | { act: 'wait'; reason: string }
  /** It will not start by itself: a person decides. */
  | { act: 'ask'; reason: string }

export interface StartRule {
  project: string
  /** It need not wait for work that it can stand on. */
  speculate: boolean
  /** Its branch is for this one's already, whatever else it needs. */
  on?: Stand | null | undefined
}

export function decideStart(
  observed: readonly ObservedBlocker[],
  { project, speculate, on = null }: StartRule,
): StartDecision {
  const isBelow = ({ stand }: ObservedBlocker) => on !== null && stand !== undefined && holds(on, stand.session)
  const open = observed.filter((one) => one.state !== 'landed' && !isBelow(one))
  if (open.length === 0) return { act: 'start', on }
  const failed = open.filter(({ state }) => state === 'failed')
  if (failed.length > 0) return { act: 'ask', reason: `it needs ${sentence(failed, project)}` }
  // A branch from before may lack what has landed since.
  const isInBase = observed.some(({ blocker, state }) => state === 'landed' && isOf(project, blocker))
  const top = speculate && on === null && !isInBase ? topOf(open) : null
  if (top !== null) return { act: 'start', on: top }
  return { act: 'wait', reason: `it waits for ${sentence(open, project)}` }
}

/** The one that all others are below of; null: no single branch holds them all, or one has none yet. */
function topOf(open: readonly ObservedBlocker[]): Stand | null {
  const stands = open.map(({ stand }) => stand)
  const isTop = (top: Stand) => stands.every((one) => one !== undefined && holds(top, one.session))
  return stands.find((one) => one !== undefined && isTop(one)) ?? null
}

function isOf(project: string, blocker: Blocker): boolean {
  return blocker.kind === 'session' || blocker.project === project
}

function holds({ session, under }: Stand, other: string): boolean {
  return session === other || under.includes(other)
}

function sentence(blockers: readonly ObservedBlocker[], project: string): string {
  return blockers.map(({ blocker, detail }) => `${blockerName(blocker, project)}, which ${detail}`).join('; and ')
}
