// What the cards of a project's sessions say about other branches. Pure.
import type { Meeting, RadarPicture, RedPair } from '../../contract/dashboard/radar.ts'
import type { MeetingMark } from '../../contract/record-values.ts'

/** More would not fit on a card. */
const MOST_MARKS = 3
const LONGEST_PATH = 200

/** By session; those that meet nobody are absent. */
export function meetingMarks({
  meetings,
  red = [],
}: Pick<RadarPicture, 'meetings'> & Partial<Pick<RadarPicture, 'red'>>): Map<string, MeetingMark[]> {
  const marks = new Map<string, MeetingMark[]>()
  const mark = ({ a, b }: { a: string; b: string }, of: (other: string) => MeetingMark) => {
    for (const [id, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const existing = marks.get(id) ?? []
      const isMarked = existing.some((one) => one.with === other)
      if (existing.length < MOST_MARKS && !isMarked) marks.set(id, [...existing, of(other)])
    }
  }
  const [conflicts, others] = [true, false].map((wanted) =>
    meetings.filter(({ kind }) => (kind === 'conflict') === wanted),
  )
  for (const meeting of conflicts!) mark(meeting, (other) => markOf(meeting, other))
  for (const pair of red) mark(pair, (other) => redMark(pair, other))
  for (const meeting of others!) mark(meeting, (other) => markOf(meeting, other))
  return marks
}

function redMark({ check, test }: RedPair, other: string): MeetingMark {
  return { with: other, path: '', files: 0, conflict: false, fails: (test ?? check).slice(0, LONGEST_PATH) }
}

function markOf({ kind, files, more }: Meeting, other: string): MeetingMark {
  const [first] = files
  const path = first?.path ?? ''
  return { with: other, path: path.slice(0, LONGEST_PATH), files: files.length + more, conflict: kind === 'conflict' }
}
