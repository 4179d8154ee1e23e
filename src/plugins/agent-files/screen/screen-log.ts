// Activity from the screen, for agents whose own files do not show everything: observations are in `.ao/activity.jsonl`,
// and the time of the screen's last change in `.ao/screen.json`, because a state that is seen again and again says nothing
// about its age.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { recordOf } from '../../../contract/record.ts'
import type { Session } from '../../../contract/session.ts'
import { ACTIVITY_STATES, type ActivityState } from '../../../contract/status.ts'
import { textField, timeField } from '../../../core/text/json-fields.ts'
import { readLastActivityEntry, recordActivityEntry } from '../../../inside/activity-log.ts'
import { ensureAoDirectory } from '../../../inside/agents-md.ts'
import { writeFileAtomic } from '../../../lib/atomic-write.ts'
import { readPlainText } from '../../../lib/plain-file.ts'
import type { ActivityReading, ReadOptions } from '../../../slots/agent.ts'
import { activityFromAge } from '../age-activity.ts'

/** Watchers poll every half minute; an older entry only shows that nothing is watching. */
const FRESH_MS = 90_000
const TRIGGER_LINES = 3
const NEEDS_PERSON: ReadonlySet<ActivityState> = new Set(['waiting_input', 'blocked'])

export type DetectActivity = (terminalText: string) => ActivityState | null

/** Appends what the screen shows to the workspace's log. */
export function recordScreen(
  session: Session,
  terminalText: string,
  detect: DetectActivity,
  now: Date,
  /**
   * elseByChange: a screen without anything `detect` recognizes counts as work as long as it changes. shows: this state is
   * not logged; since when the screen shows it is kept for `shownSince`.
   */
  options: { elseByChange?: boolean; shows?: DetectActivity | undefined } = {},
): void {
  const { workspacePath } = session
  const text = terminalText.trimEnd()
  if (workspacePath === null || text === '') return
  const detected = detect(text)
  const shows = options.shows?.(text) ?? null
  if (detected === null && shows === null && !options.elseByChange) return
  const needsPerson = detected !== null && NEEDS_PERSON.has(detected)
  const trigger = text.split('\n').slice(-TRIGGER_LINES).join('\n')
  // A question after a message is a new one, even with the same wording.
  const question = needsPerson
    ? `${detected} ${recordOf(session).lastMessageAt?.toISOString() ?? ''} ${withoutTicks(trigger)}`
    : null
  const changedAt = noteScreen(workspacePath, { text, question, now, state: shows })
  if (detected === null && !options.elseByChange) return
  const state =
    detected ?? activityFromAge({ kind: 'touched', at: changedAt, now, readyThresholdMs: Number.POSITIVE_INFINITY })
  recordActivityEntry(workspacePath, { state, source: 'terminal', trigger: needsPerson ? trigger : undefined }, now)
}

/** null: the screen was not observed recently, or not since `since`. */
export function readScreenLog(session: Session, options: ReadOptions, since?: Date): ActivityReading | null {
  if (session.workspacePath === null) return null
  const entry = readLastActivityEntry(session.workspacePath)
  if (!entry || (since && entry.at <= since)) return null
  if (options.now.getTime() - entry.at.getTime() > FRESH_MS) return null
  const evidence = `its screen: ${entry.state}`
  const note = readNote(session.workspacePath)
  if (NEEDS_PERSON.has(entry.state)) {
    // A message sent after it was seen answers it; the next poll shows whether it is asked again.
    if (entry.at.getTime() <= (recordOf(session).lastMessageAt?.getTime() ?? Number.NEGATIVE_INFINITY)) return null
    return { state: entry.state, timestamp: note?.askedAt ?? entry.at, evidence }
  }
  if (entry.state !== 'active' && entry.state !== 'ready') {
    return { state: entry.state, timestamp: entry.at, evidence }
  }
  const at = note?.changedAt ?? entry.at
  const kind = entry.state === 'active' ? 'working' : 'finished'
  return { state: activityFromAge({ kind, at, ...options }), timestamp: at, evidence }
}

/** The state that it was last seen to show, and since when it has shown it without a break. null: that is not kept. */
export function shownSince({ workspacePath }: Session): { state: ActivityState; since: Date } | null {
  const shown = workspacePath === null ? undefined : readNote(workspacePath)?.shown
  return shown ? { state: shown.state, since: new Date(shown.since) } : null
}

interface ScreenNote {
  digest: string
  changedAt: Date
  shown?: Shown | undefined
  /** The question at its end, and since when it is there. */
  question: string | null
  askedAt: Date | null
}

interface Shown {
  state: ActivityState
  /** ISO 8601 */
  since: string
  seenAt: string
}

interface Seen {
  text: string
  question: string | null
  now: Date
  /** null: it is not kept since when it is shown. */
  state: ActivityState | null
}

/** A screen seen longer ago may have changed in between. Longer than the poll that reads every screen. */
const BREAK_MS = 45_000

function shownNow(before: Shown | undefined, { state, now }: Seen): Shown | undefined {
  if (state === null) return undefined
  const isSame = before?.state === state && now.getTime() - Date.parse(before.seenAt) <= BREAK_MS
  return { state, since: isSame ? before.since : now.toISOString(), seenAt: now.toISOString() }
}

/** Returns when the screen last changed. */
function noteScreen(workspacePath: string, seen: Seen): Date {
  const { text, question, now } = seen
  const before = readNote(workspacePath)
  const shown = shownNow(before?.shown, seen)
  const digest = digestOf(text)
  const questionDigest = question === null ? null : digestOf(question)
  if (before?.digest === digest && before.question === questionDigest && !shown) return before.changedAt
  const changedAt = before?.digest === digest ? before.changedAt : now
  const askedAt = before && before.question === questionDigest ? before.askedAt : now
  const note = {
    digest,
    at: changedAt,
    question: questionDigest ?? undefined,
    askedAt: questionDigest === null ? undefined : askedAt,
    shown,
  }
  const file = join(ensureAoDirectory(workspacePath), 'screen.json')
  writeFileAtomic(file, `${JSON.stringify(note)}\n`, { durable: false })
  return changedAt
}

function readShown(value: unknown): Shown | undefined {
  const state = ACTIVITY_STATES.find((one) => one === textField(value, 'state'))
  const [since, seenAt] = [timeField(value, 'since'), timeField(value, 'seenAt')]
  return state && since && seenAt ? { state, since: since.toISOString(), seenAt: seenAt.toISOString() } : undefined
}

/** Clocks, counters and spinners change while a question is open. */
function withoutTicks(text: string): string {
  return text.replace(/[^\p{L}]+/gu, ' ')
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function readNote(workspacePath: string): ScreenNote | null {
  try {
    const text = readPlainText(join(workspacePath, '.ao', 'screen.json'))
    const { digest, at, question, askedAt, shown } = JSON.parse(text) as Record<string, unknown>
    const changedAt = new Date(String(at))
    if (typeof digest !== 'string' || Number.isNaN(changedAt.getTime())) return null
    const since = typeof askedAt === 'string' ? new Date(askedAt) : null
    const isPending = typeof question === 'string' && since !== null && !Number.isNaN(since.getTime())
    return {
      digest,
      changedAt,
      shown: readShown(shown),
      ...(isPending ? { question, askedAt: since } : { question: null, askedAt: null }),
    }
  } catch {
    // Never recorded, or damaged: the next poll records it anew.
    return null
  }
}
