// The radar's picture as lines: a matrix while it fits, then each meeting with its files and lines.
import type { LineRange, Meeting, MeetingFile, RadarBranch, RadarPicture } from '../../../contract/dashboard/radar.ts'
import { toOneLine, truncate } from '../../print/plain-text.ts'
import type { Paint, Style } from '../../print/style.ts'
import { type Column, renderTable } from '../../print/table.ts'

export interface RadarView {
  style: Style
  width: number
  hunks: boolean
}

const LARGEST_MATRIX = 25
const MOST_MEETINGS = 40
const MOST_LINES_OF_A_SIDE = 12

export function renderRadar(picture: RadarPicture, view: RadarView): string[] {
  const { style } = view
  const note = picture.note === null ? [] : [`${style.yellow('!')} ${toOneLine(picture.note)}`]
  const title = `${style.bold(picture.projectId)} ${headline(picture)}`
  if (picture.branches.length === 0) return [title, ...note]
  return [
    title,
    ...note,
    '',
    ...branchLines(picture, view),
    ...redLines(picture, view),
    ...meetingLines(picture, view),
    ...readyLines(picture, view),
  ]
}

function headline({ base, branches, meetings, red }: RadarPicture): string {
  const on = base.commit === null ? base.branch : `${base.branch} ${base.commit.slice(0, 10)}`
  if (branches.length === 0) return `on ${on}: no live branches; ao spawn <issue> starts one`
  const conflicts = meetings.filter(({ kind }) => kind === 'conflict').length
  const others = meetings.length - conflicts
  const parts = [
    count(branches.length, 'live branch', 'live branches'),
    conflicts === 0 ? 'no conflicts' : count(conflicts, 'conflict', 'conflicts'),
    ...(red.length > 0 ? [`${count(red.length, 'pair fails', 'pairs fail')} together`] : []),
    ...(others > 0 ? [`${count(others, 'pair', 'pairs')} in the same files`] : []),
  ]
  return `on ${on}: ${parts.join(', ')}`
}

function branchLines({ branches, meetings }: RadarPicture, { style, width }: RadarView): string[] {
  const hasMatrix = branches.length > 1 && branches.length <= LARGEST_MATRIX
  const numberOf = new Map(branches.map(({ id }, index) => [id, index + 1]))
  const cells = hasMatrix ? matrixOf(branches, meetings, style) : null
  const columns: Column<RadarBranch>[] = [
    { title: '', text: ({ id }) => (hasMatrix ? String(numberOf.get(id)) : ''), align: 'right' },
    { title: 'BRANCH OF', text: ({ id }) => id, paint: (text) => style.cyan(text) },
    { title: 'PR', text: ({ pull }) => (pull === null ? '' : `#${pull}`) },
    { title: 'WORK', text: workOf },
    {
      title: 'STATE',
      text: stateOf,
      paint: (text, row) => (row.conflictsWithBase.length > 0 ? style.red(text) : text),
    },
    { title: 'TITLE', text: ({ title }) => title, min: 10, drop: 1 },
  ]
  const matrixWidth = cells === null ? 0 : branches.length * 3 + 1
  const table = renderTable(columns, branches, { width: width - matrixWidth - 2, indent: 2, paintTitle: style.dim })
  if (cells === null) return [...table, '']
  const [head = '', ...rows] = table
  const numbers = branches.map((_, index) => String(index + 1).padStart(2)).join(' ')
  const widest = Math.max(...table.map((line) => plainWidth(line)))
  const padded = (line: string) => line + ' '.repeat(widest - plainWidth(line) + 2)
  return [padded(head) + style.dim(numbers), ...rows.map((line, index) => padded(line) + cells[index]), '']
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the colours that this file adds
const COLOUR = /\u001b\[[0-9;]*m/g

function plainWidth(line: string): number {
  return [...line.replace(COLOUR, '')].length
}

const MARKS: Record<Meeting['kind'], readonly [mark: string, paint: Paint]> = {
  conflict: ['✗', 'red'],
  solved: ['◎', 'dim'],
  clean: ['○', 'yellow'],
  unknown: ['?', 'yellow'],
}

function matrixOf(branches: readonly RadarBranch[], meetings: readonly Meeting[], style: Style): string[] {
  const byPair = new Map(meetings.flatMap((one) => [`${one.a} ${one.b}`, `${one.b} ${one.a}`].map((key) => [key, one])))
  return branches.map((row) =>
    branches
      .map((column) => {
        const meeting = byPair.get(`${row.id} ${column.id}`)
        if (row.id === column.id) return style.dim(' \\')
        if (!meeting) return style.dim(' ·')
        const [mark, paint] = MARKS[meeting.kind]
        return ` ${style[paint](mark)}`
      })
      .join(' '),
  )
}

function workOf({ commits, files, uncommitted }: RadarBranch): string {
  const parts = [
    ...(commits > 0 ? [count(commits, 'commit', 'commits')] : []),
    ...(files > 0 ? [count(files, 'file', 'files')] : []),
    ...(uncommitted > 0 ? [`${uncommitted} uncommitted`] : []),
  ]
  return parts.join(', ') || 'nothing yet'
}

function stateOf({ conflictsWithBase, problem, ready }: RadarBranch): string {
  const parts = [
    ...(conflictsWithBase.length > 0 ? [`conflicts with the base branch in ${conflictsWithBase[0]}`] : []),
    ...(problem === null ? [] : [problem]),
    ...(ready ? ['ready'] : []),
  ]
  return parts.join('; ')
}

const MOST_LOG_LINES = 20

/** git merges them; their checks say more. */
function redLines({ red }: RadarPicture, { style, width, hunks }: RadarView): string[] {
  return red.flatMap(({ a, b, check, test, log, commit }) => [
    `  ${style.red('✗')} ${style.cyan(a)} and ${style.cyan(b)}: each passes alone, together they fail`,
    truncate(`      ${toOneLine(test === null ? check : `${check}: ${test}`)}  (${commit.slice(0, 10)})`, width),
    ...(hunks ? log.trimEnd().split('\n').slice(-MOST_LOG_LINES) : []).map(
      (line) => `        ${style.dim('│')} ${toOneLine(line)}`,
    ),
    '',
  ])
}

function meetingLines({ meetings, pending }: RadarPicture, view: RadarView): string[] {
  const { style, width } = view
  const shown = meetings.slice(0, MOST_MEETINGS)
  const more = meetings.length - shown.length
  const rest = more > 0 ? [style.dim(`  … and ${more} more pairs: ao radar --json has all of them`), ''] : []
  const open = pending > 0 ? [style.yellow(`  ${count(pending, 'pair is', 'pairs are')} not tried yet`), ''] : []
  return [...shown.flatMap((meeting) => oneMeeting(meeting, view, width)), ...rest, ...open]
}

const LABELS: Record<Meeting['kind'], string> = {
  conflict: 'conflict',
  solved: 'conflict, solved by rule',
  clean: 'the same files, merge cleanly',
  unknown: 'the same files',
}

function oneMeeting(meeting: Meeting, { style, hunks }: RadarView, width: number): string[] {
  const [mark, paint] = MARKS[meeting.kind]
  const title = `  ${style[paint](mark)} ${style.cyan(meeting.a)} and ${style.cyan(meeting.b)}: ${LABELS[meeting.kind]}`
  const files = meeting.files.flatMap((file) => [
    truncate(`      ${fileLine(file, meeting)}`, width),
    ...(hunks ? file.hunks.flatMap((hunk) => hunkLines(hunk, meeting, style)) : []),
  ])
  const more = meeting.more > 0 ? [style.dim(`      … and ${meeting.more} more files`)] : []
  return [title, ...files, ...more, '']
}

function fileLine({ path, solved, a, b }: MeetingFile, meeting: Meeting): string {
  const sides = [
    [meeting.a, a],
    [meeting.b, b],
  ] as const
  const labels = sides.map(([id, side]) =>
    side.change === 'deleted' ? `${id} deletes it` : side.lines.length > 0 ? `${id} ${linesOf(side.lines)}` : '',
  )
  const where = [...labels, solved ? 'solved by rule' : ''].filter((word) => word !== '').join(', ')
  return toOneLine(where === '' ? path : `${path}  (${where})`)
}

function linesOf(ranges: readonly LineRange[]): string {
  const shown = ranges.slice(0, 3).map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`))
  const isOne = ranges.length === 1 && ranges[0]![0] === ranges[0]![1]
  return `${isOne ? 'line' : 'lines'} ${shown.join(', ')}${ranges.length > 3 ? ', …' : ''}`
}

function hunkLines(hunk: MeetingFile['hunks'][number], { a, b }: Meeting, style: Style): string[] {
  const sides = [
    [a, hunk.a],
    [b, hunk.b],
  ] as const
  return sides.flatMap(([id, text]) => {
    const lines = text === '' ? ['(nothing)'] : text.split('\n')
    const shown = lines.slice(0, MOST_LINES_OF_A_SIDE).map((line) => `        ${style.dim('│')} ${toOneLine(line)}`)
    const more = lines.length > shown.length ? [style.dim(`        │ … ${lines.length - shown.length} more lines`)] : []
    return [`        ${style.dim(`┌ ${id}`)}`, ...shown, ...more]
  })
}

function readyLines({ ready }: RadarPicture, { style }: RadarView): string[] {
  const { merged, left } = ready
  if (merged.length === 0 && left.length === 0) return []
  const together =
    merged.length === 0 ? [] : [`  ${style.green('✓')} ready and merge cleanly in this order: ${merged.join(', ')}`]
  const others = left.map(({ id, files }) =>
    toOneLine(`  ✗ ready, but ${id} conflicts with those before it in ${files.join(', ')}`),
  )
  return [...together, ...others.map((line) => style.red(line))]
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}
