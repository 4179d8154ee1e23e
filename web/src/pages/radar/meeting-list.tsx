// The pairs that meet, with their files, lines, and what both sides wrote.

import type { LineRange, Meeting, MeetingFile } from '../../../../src/contract/dashboard/radar.ts'
import { Badge } from '../../ui/badge.tsx'
import { Visible } from '../../ui/text/visible.tsx'

interface Props {
  meetings: readonly Meeting[]
  chosen: string | null
  onChoose: (pair: string | null) => void
}

const MOST = 100

export function pairOf({ a, b }: Pick<Meeting, 'a' | 'b'>): string {
  return `${a}~${b}`
}

/** The chosen pair alone, or all of them. */
export function MeetingList({ meetings, chosen, onChoose }: Props) {
  const one = meetings.find((meeting) => pairOf(meeting) === chosen)
  const shown = one ? [one] : meetings.slice(0, MOST)
  const more = one ? 0 : meetings.length - shown.length
  return (
    <>
      {one && (
        <button type="button" className="self-start text-sm text-accent hover:underline" onClick={() => onChoose(null)}>
          Show all {meetings.length} pairs
        </button>
      )}
      <ul className="flex flex-col gap-3" aria-label="Pairs that meet">
        {shown.map((meeting) => (
          <li key={pairOf(meeting)} className="rounded-md border">
            <MeetingItem meeting={meeting} />
          </li>
        ))}
      </ul>
      {more > 0 && <p className="text-sm text-muted">… and {more} more pairs: ao radar --json has all of them.</p>}
    </>
  )
}

const LABELS = {
  conflict: 'conflict',
  solved: 'conflict solved by rule',
  clean: 'merge cleanly',
  unknown: 'not tried',
} as const

function MeetingItem({ meeting }: { meeting: Meeting }) {
  const isConflict = meeting.kind === 'conflict'
  return (
    <>
      <h3 className="flex items-center gap-2 border-b px-3 py-1.5 text-sm font-medium">
        {meeting.a} and {meeting.b}
        <Badge tone={isConflict ? 'bad' : 'neutral'}>{LABELS[meeting.kind]}</Badge>
      </h3>
      <ul className="divide-y">
        {meeting.files.map((file) => (
          <FileItem key={file.path} file={file} meeting={meeting} />
        ))}
      </ul>
      {meeting.more > 0 && <p className="px-3 py-1.5 text-xs text-muted">and {meeting.more} more files</p>}
    </>
  )
}

function FileItem({ file, meeting }: { file: MeetingFile; meeting: Meeting }) {
  const sides = [
    { id: meeting.a, side: file.a },
    { id: meeting.b, side: file.b },
  ]
  return (
    <li className="flex flex-col gap-2 px-3 py-2 text-sm">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <span className={`font-mono text-xs break-all ${file.conflict ? 'text-bad' : ''}`}>
          <Visible text={file.path} />
        </span>
        {sides.map(({ id, side }) => (
          <span key={id} className="text-xs text-muted">
            {textOf(id, side)}
          </span>
        ))}
      </div>
      {file.hunks.map((hunk, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: hunks have no identity but their index
        <div key={index} className="grid gap-2 sm:grid-cols-2">
          <Side id={meeting.a} text={hunk.a} />
          <Side id={meeting.b} text={hunk.b} />
        </div>
      ))}
    </li>
  )
}

function Side({ id, text }: { id: string; text: string }) {
  return (
    <figure className="min-w-0">
      <figcaption className="text-2xs text-faint">{id}</figcaption>
      <pre className="max-h-64 overflow-auto rounded bg-sunken p-2 font-mono text-2xs whitespace-pre">
        {text === '' ? '(nothing)' : <Visible text={text} lines />}
      </pre>
    </figure>
  )
}

function textOf(id: string, { change, lines }: MeetingFile['a']): string {
  if (change === 'deleted') return `${id} deletes it`
  if (change === 'added') return `${id} adds it`
  if (lines.length === 0) return ''
  const isOne = lines.length === 1 && lines[0]?.[0] === lines[0]?.[1]
  return `${id}: ${isOne ? 'line' : 'lines'} ${lines.slice(0, 6).map(rangeOf).join(', ')}`
}

function rangeOf([first, last]: LineRange): string {
  return first === last ? String(first) : `${first}–${last}`
}
