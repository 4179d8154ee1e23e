// The words, icons and tones for what a session is and does. The same everywhere, so that they are learned once.

import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'
import type { BoardColumn } from '../../../src/contract/dashboard/columns.ts'
import type { ErrorCause, NeedKind } from '../../../src/contract/dashboard/needs.ts'
import type { PullCard } from '../../../src/contract/pull.ts'
import type { ActivityState, SessionStatus } from '../../../src/contract/status.ts'
import { isCause, needWord, type ShownStatus, shownStatus } from '../../../src/core/queue/shown-status.ts'
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

const OTHER_LOOKS: Readonly<Record<Exclude<ShownStatus, SessionStatus | ErrorCause>, Look>> = {
  paused: { word: 'Paused', tone: 'attention', icon: 'pause' },
  waiting: { word: 'Waiting', tone: 'neutral', icon: 'clock' },
  finished: { word: 'Finished', tone: 'good', icon: 'check' },
}

const NEED_LOOKS: Readonly<Record<NeedKind, Omit<Look, 'word'>>> = {
  permission: { tone: 'attention', icon: 'hand' },
  question: { tone: 'accent', icon: 'chat' },
  error: { tone: 'bad', icon: 'warning' },
  finished: { tone: 'good', icon: 'check' },
  review: { tone: 'review', icon: 'eye' },
  merge: { tone: 'good', icon: 'merge' },
}

export function needLook(need: { kind: NeedKind; cause: ErrorCause | null }): Look {
  return { word: capitalized(needWord(need)), ...NEED_LOOKS[need.kind] }
}

export type StatusFacts = Pick<SessionCard, 'status' | 'need' | 'waits'> & Partial<Pick<SessionCard, 'paused'>>

export function statusLook({ status, need, waits, paused }: StatusFacts): Look {
  const shown = shownStatus({ status, need, isWaiting: waits !== null, isPaused: Boolean(paused) })
  if (isCause(shown)) return needLook({ kind: 'error', cause: shown })
  return shown === 'paused' || shown === 'waiting' || shown === 'finished' ? OTHER_LOOKS[shown] : STATUS_LOOKS[shown]
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
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
