// Activity from the screen, for agents whose own files do not tell all: what was seen stands in `.ao/activity.jsonl`, and
// when the screen last changed in `.ao/screen.json`, because a state that is seen again and again says nothing of its age.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Session } from '../../../contract/session.ts'
import type { ActivityState } from '../../../contract/status.ts'
import { readLastActivityEntry, recordActivityEntry } from '../../../inside/activity-log.ts'
import { ensureAoDirectory } from '../../../inside/agents-md.ts'
import { writeFileAtomic } from '../../../lib/atomic-write.ts'
import { readPlainText } from '../../../lib/plain-file.ts'
import type { ActivityReading, ReadOptions } from '../../../slots/agent.ts'
import { activityFromAge } from '../age-activity.ts'

/** Whoever watches looks every half minute; an older entry says only that nobody watches. */
const FRESH_MS = 90_000
const TRIGGER_LINES = 3

export type DetectActivity = (terminalText: string) => ActivityState | null

/** What the screen shows, appended to the workspace's log. */
export function recordScreen(
  session: Session,
  terminalText: string,
  detect: DetectActivity,
  now: Date,
  /** A screen without a word that `detect` knows counts as work as long as it changes. */
  options: { elseByChange?: boolean } = {},
): void {
  const { workspacePath } = session
  const text = terminalText.trimEnd()
  if (workspacePath === null || text === '') return
  const known = detect(text)
  if (known === null && !options.elseByChange) return
  const changedAt = noteChange(workspacePath, text, now)
  const state =
    known ?? activityFromAge({ kind: 'touched', at: changedAt, now, readyThresholdMs: Number.POSITIVE_INFINITY })
  const needsPerson = state === 'waiting_input' || state === 'blocked'
  const trigger = text.split('\n').slice(-TRIGGER_LINES).join('\n')
  recordActivityEntry(workspacePath, { state, source: 'terminal', ...(needsPerson ? { trigger } : {}) }, now)
}

/** null: nobody looked at the screen lately, or not since `since`. */
export function readScreenLog(session: Session, options: ReadOptions, since?: Date): ActivityReading | null {
  if (session.workspacePath === null) return null
  const entry = readLastActivityEntry(session.workspacePath)
  if (!entry || (since && entry.at <= since)) return null
  if (options.now.getTime() - entry.at.getTime() > FRESH_MS) return null
  const evidence = `its screen: ${entry.state}`
  if (entry.state !== 'active' && entry.state !== 'ready') {
    return { state: entry.state, timestamp: entry.at, evidence }
  }
  const at = readChange(session.workspacePath)?.at ?? entry.at
  const kind = entry.state === 'active' ? 'working' : 'finished'
  return { state: activityFromAge({ kind, at, ...options }), timestamp: at, evidence }
}

interface ScreenChange {
  digest: string
  at: Date
}

/** Returns when the screen last changed. */
function noteChange(workspacePath: string, text: string, now: Date): Date {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const before = readChange(workspacePath)
  if (before?.digest === digest) return before.at
  const file = join(ensureAoDirectory(workspacePath), 'screen.json')
  writeFileAtomic(file, `${JSON.stringify({ digest, at: now.toISOString() })}\n`, { durable: false })
  return now
}

function readChange(workspacePath: string): ScreenChange | null {
  try {
    const { digest, at } = JSON.parse(readPlainText(join(workspacePath, '.ao', 'screen.json'))) as ScreenChange
    const date = new Date(at)
    return typeof digest === 'string' && !Number.isNaN(date.getTime()) ? { digest, at: date } : null
  } catch {
    // Never noted, or damaged: the next look notes it anew.
    return null
  }
}
