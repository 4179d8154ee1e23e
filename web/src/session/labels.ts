// The words, icons and tones for what a session is and does. The same everywhere, so that they are learned once.

import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'
import type { BoardColumn } from '../../../src/contract/dashboard/columns.ts'
import type { PullCard } from '../../../src/contract/pull.ts'
import { type ActivityState, IS_ABOUT_AGENT, type SessionStatus } from '../../../src/contract/status.ts'
import type { Tone } from '../ui/badge.tsx'
import type { IconName } from '../ui/icon.tsx'

export interface Look {
  word: string
  tone: Tone
  icon: IconName
}

export const STATUS_LOOKS: Readonly<Record<SessionStatus, Look>> = {
  spawning: { word: 'Starting', tone: 'live', icon: 'play' },
  working: { word: 'Working', tone: 'live', icon: 'pulse' },
  pr_open: { word: 'PR open', tone: 'review', icon: 'pull' },
  ci_failed: { word: 'CI failed', tone: 'bad', icon: 'cross' },
  review_pending: { word: 'Review pending', tone: 'review', icon: 'eye' },
  changes_requested: { word: 'Changes requested', tone: 'attention', icon: 'reply' },
  approved: { word: 'Approved', tone: 'good', icon: 'check' },
  mergeable: { word: 'Ready to merge', tone: 'good', icon: 'merge' },
  merged: { word: 'Merged', tone: 'good', icon: 'merge' },
  cleanup: { word: 'Cleaning up', tone: 'neutral', icon: 'archive' },
  needs_input: { word: 'Needs input', tone: 'attention', icon: 'hand' },
  stuck: { word: 'Stuck', tone: 'attention', icon: 'warning' },
  errored: { word: 'Failed', tone: 'bad', icon: 'warning' },
  killed: { word: 'Killed', tone: 'neutral', icon: 'stop' },
  done: { word: 'Done', tone: 'neutral', icon: 'check' },
  terminated: { word: 'Terminated', tone: 'neutral', icon: 'stop' },
}

const PAUSED: Look = { word: 'Paused', tone: 'attention', icon: 'pause' }
/** It has not started yet. */
const WAITING: Look = { word: 'Waiting', tone: 'neutral', icon: 'clock' }

export type StatusFacts = Pick<SessionCard, 'status' | 'need' | 'waits'> & Partial<Pick<SessionCard, 'paused'>>

/** The same word as on the card: an agent whose turn is over is not working, and nobody killed one that ended on its own. */
export function statusLook({ status, need, waits, paused }: StatusFacts): Look {
  if (paused && IS_ABOUT_AGENT.has(status)) return PAUSED
  if (waits !== null) return WAITING
  if (need?.kind === 'finished') return { word: 'Finished', tone: 'good', icon: 'check' }
  if (need?.cause === 'ended' && status === 'killed') return { word: 'Ended', tone: 'bad', icon: 'warning' }
  return STATUS_LOOKS[status]
}

export const ACTIVITY_LABELS: Readonly<Record<ActivityState, string>> = {
  active: 'Active',
  ready: 'Ready',
  idle: 'Idle',
  waiting_input: 'Waiting for you',
  blocked: 'Blocked',
  exited: 'Exited',
}

export const COLUMN_LOOKS: Readonly<Record<BoardColumn, Look & { empty: string }>> = {
  needs_you: { word: 'Needs you', tone: 'attention', icon: 'hand', empty: 'Nobody waits for you.' },
  ready_to_merge: { word: 'Ready to merge', tone: 'good', icon: 'merge', empty: 'Approved and green work comes here.' },
  in_review: { word: 'In review', tone: 'review', icon: 'eye', empty: 'Open pull requests come here.' },
  working: { word: 'Working', tone: 'live', icon: 'pulse', empty: 'No agent works now.' },
  done: { word: 'Done', tone: 'neutral', icon: 'check', empty: 'Ended sessions appear here.' },
}

/** null: nothing worth showing. */
export const CI_LOOKS: Readonly<Record<PullCard['ci'], Look | null>> = {
  passing: { word: 'CI passing', tone: 'good', icon: 'check' },
  failing: { word: 'CI failing', tone: 'bad', icon: 'cross' },
  pending: { word: 'CI running', tone: 'live', icon: 'clock' },
  unknown: { word: 'CI unknown', tone: 'neutral', icon: 'info' },
  none: null,
}

export const REVIEW_LOOKS: Readonly<Record<PullCard['review'], Look | null>> = {
  approved: { word: 'Approved', tone: 'good', icon: 'check' },
  changes_requested: { word: 'Changes requested', tone: 'attention', icon: 'reply' },
  pending: { word: 'Review pending', tone: 'review', icon: 'eye' },
  unknown: null,
  none: null,
}
