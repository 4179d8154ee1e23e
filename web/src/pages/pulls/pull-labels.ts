// Labels and tones for the state of a pull request. One table for the list and the page.
import type { PullCheck, PullReview, PullRow } from '../../../../src/contract/dashboard/answers.ts'
import type { BoardColumn } from '../../../../src/contract/dashboard/columns.ts'
import type { Tone } from '../../ui/badge.tsx'
import type { IconName } from '../../ui/icon.tsx'

export interface Word {
  word: string
  tone: Tone
  icon: IconName
}

export function stateWord({ state, isDraft }: Pick<PullRow, 'state' | 'isDraft'>): Word {
  if (state === 'merged') return { word: 'Merged', tone: 'review', icon: 'merge' }
  if (state === 'closed') return { word: 'Closed', tone: 'neutral', icon: 'cross' }
  return isDraft ? { word: 'Draft', tone: 'neutral', icon: 'pull' } : { word: 'Open', tone: 'good', icon: 'pull' }
}

const CI: Record<PullRow['ci'], Word | null> = {
  passing: { word: 'Checks pass', tone: 'good', icon: 'check' },
  failing: { word: 'Checks fail', tone: 'bad', icon: 'cross' },
  pending: { word: 'Checks run', tone: 'attention', icon: 'clock' },
  none: null,
  unknown: { word: 'Checks unknown', tone: 'neutral', icon: 'info' },
}

const REVIEW: Record<PullRow['review'], Word | null> = {
  approved: { word: 'Approved', tone: 'good', icon: 'check' },
  changes_requested: { word: 'Changes requested', tone: 'attention', icon: 'reply' },
  pending: { word: 'Needs review', tone: 'review', icon: 'eye' },
  none: null,
  unknown: { word: 'Review unknown', tone: 'neutral', icon: 'info' },
}

/** What deserves a badge in the list; the rest is implied. */
export function rowLabels(row: PullRow): Word[] {
  const { checks, review, conflicts } = openLabels(row)
  return [checks, review, conflicts].filter((word) => word !== null)
}

/** The same, each in its own column. */
export function openLabels(row: PullRow): Record<'checks' | 'review' | 'conflicts', Word | null> {
  if (row.state !== 'open') return { checks: null, review: null, conflicts: null }
  const conflicts: Word | null = row.hasConflicts ? { word: 'Conflicts', tone: 'bad', icon: 'warning' } : null
  return { checks: CI[row.ci], review: REVIEW[row.review], conflicts }
}

export const CHECK_LABELS: Record<PullCheck['status'], Word> = {
  passed: { word: 'passed', tone: 'good', icon: 'check' },
  failed: { word: 'failed', tone: 'bad', icon: 'cross' },
  running: { word: 'running', tone: 'attention', icon: 'clock' },
  pending: { word: 'waiting', tone: 'neutral', icon: 'clock' },
  skipped: { word: 'skipped', tone: 'neutral', icon: 'right' },
}

export const REVIEW_LABELS: Record<PullReview['state'], Word> = {
  approved: { word: 'approved', tone: 'good', icon: 'check' },
  changes_requested: { word: 'requested changes', tone: 'attention', icon: 'reply' },
  commented: { word: 'commented', tone: 'neutral', icon: 'chat' },
  dismissed: { word: 'was dismissed', tone: 'neutral', icon: 'cross' },
}

/** The forge's name, if its address reveals it. */
export function forgeName(url: string): string {
  if (/^https?:\/\/(www\.)?github\.com\//i.test(url)) return 'GitHub'
  return /gitlab/i.test(url) ? 'GitLab' : 'its forge'
}

export function pullHref({ projectId, number }: Pick<PullRow, 'projectId' | 'number'>): string {
  return `/projects/${encodeURIComponent(projectId)}/pull/${number}`
}

/** The parameters of its routes. */
export function pullParams({ projectId, number }: Pick<PullRow, 'projectId' | 'number'>) {
  return { project: projectId, number: String(number) }
}

/** In the order in which a person has something to do about them. */
export const GROUPS = [
  'Ready to merge',
  'Needs review',
  'Needs your help',
  'With its author',
  'Checks are running',
  'Drafts',
  'Closed',
] as const

/** Whose turn it is. `column`: of its session; an agent that gave up, asks or has ended changes nothing by itself. */
export function groupOf(row: PullRow, column: BoardColumn | undefined): (typeof GROUPS)[number] {
  if (row.state !== 'open') return 'Closed'
  if (row.isDraft) return 'Drafts'
  if (row.ci === 'failing' || row.review === 'changes_requested' || row.hasConflicts)
    return column === 'needs_you' || column === 'done' ? 'Needs your help' : 'With its author'
  if (row.ci === 'pending') return 'Checks are running'
  return row.review === 'approved' ? 'Ready to merge' : 'Needs review'
}
