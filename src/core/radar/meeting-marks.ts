// What the cards of a project's sessions say about other branches. Pure.
import type { Meeting, RadarPicture } from '../../contract/radar.ts'
import type { MeetingMark } from '../../contract/record.ts'

/** More would not fit on a card. */
const MOST_MARKS = 3
const LONGEST_PATH = 200

/** By session; those that meet nobody are absent. */
export function meetingMarks({ meetings }: Pick<RadarPicture, 'meetings'>): Map<string, MeetingMark[]> {
  const marks = new Map<string, MeetingMark[]>()
  for (const meeting of meetings) {
    for (const [id, other] of [
      [meeting.a, meeting.b],
      [meeting.b, meeting.a],
    ] as const) {
      const existing = marks.get(id) ?? []
      if (existing.length < MOST_MARKS) marks.set(id, [...existing, markOf(meeting, other)])
    }
  }
  return marks
}

function markOf({ kind, files, more }: Meeting, other: string): MeetingMark {
  const [first] = files
  const path = first?.path ?? ''
  return { with: other, path: path.slice(0, LONGEST_PATH), files: files.length + more, conflict: kind === 'conflict' }
}
