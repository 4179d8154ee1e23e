// The terminal board as lines: lists, a preview below, and what is open over them. Every text of others is made visible here,
// before any colour is added. Lines only, no I/O.
import type { SessionCard } from '../../../contract/dashboard/cards.ts'
import type { BoardColumn } from '../../../contract/dashboard/columns.ts'
import { BOARD_LISTS, type BoardList, type BoardRow, countsLine } from '../../../core/board/board-rows.ts'
import { type BoardState, chosenRow, type Mode, type ModeOf, type ShownPart } from '../../../core/board/board-state.ts'
import type { OwnAction } from '../../../core/board/own-actions.ts'
import { paletteEntries } from '../../../core/board/palette.ts'
import { formatAge } from '../../../core/text/format-age.ts'
import { displayWidth, toOneLine, truncate } from '../../print/plain-text.ts'
import type { Paint, Style } from '../../print/style.ts'
import { type Column, renderTable } from '../../print/table.ts'
import { detailLines, HELP, type Listing, linesOf, openedLines } from './describe-row.ts'
import type { SessionDetails } from './read-details.ts'

export interface BoardScreen {
  cards: ReadonlyMap<string, SessionCard>
  rows: readonly BoardRow[]
  /** How many rows each list has, unfiltered. */
  counts: Readonly<Record<BoardList, number>>
  /** Where the board comes from, in a few words. */
  source: string
  notices: readonly string[]
  /** A person's own. */
  actions: readonly OwnAction[]
  details: SessionDetails | null
  now: Date
  style: Style
  width: number
  height: number
}

export interface Frame {
  lines: string[]
  /** Of the text that is open. */
  shown: ShownPart
}

const NAMES: Record<BoardList, string> = {
  queue: 'Queue',
  sessions: 'Sessions',
  pulls: 'Pull requests',
  train: 'Train',
}
const TONES: Record<BoardColumn, Paint> = {
  needs_you: 'yellow',
  ready_to_merge: 'green',
  in_review: 'blue',
  working: 'cyan',
  done: 'dim',
}
const NOTHING_SHOWN: ShownPart = { top: 0, bottom: 0, total: 0 }

export function renderBoard(state: BoardState, screen: BoardScreen): Frame {
  const { width, height, style } = screen
  const head = [headLine(screen), listsLine(state, screen)]
  const foot = [...noteLines(state, screen), style.dim(keysLine(state.mode, width))]
  const room = Math.max(1, height - head.length - foot.length)
  const body = bodyOf(state, screen, room)
  const padded = [...body.lines, ...Array<string>(Math.max(0, room - body.lines.length)).fill('')].slice(0, room)
  return { lines: [...head, ...padded, ...foot], shown: body.shown }
}

function headLine({ cards, source, style, width }: BoardScreen): string {
  const columns = [...cards.values()].map(({ column }) => column)
  const count = (column: BoardColumn) => columns.filter((one) => one === column).length
  const counts = countsLine({ needs: count('needs_you'), ready: count('ready_to_merge') }) || 'nobody needs you'
  const others = (['in_review', 'working'] as const).filter((one) => count(one) > 0)
  const rest = others.map((one) => ` · ${count(one)} ${one.replace('_', ' ')}`)
  const left = truncate(`ao · ${counts}${rest.join('')}`, width)
  const right = truncate(source, Math.max(0, width - displayWidth(left) - 2))
  const gap = ' '.repeat(Math.max(0, width - displayWidth(left) - displayWidth(right)))
  return `${style.bold(left)}${gap}${style.dim(right)}`
}

function listsLine({ list, filter, mode }: BoardState, { counts, style, width }: BoardScreen): string {
  const isTyping = mode.kind === 'filter'
  const search = isTyping || filter !== '' ? `  /${toOneLine(filter)}${isTyping ? '_' : ''}` : ''
  const label = (one: BoardList, index: number, name: string) => ({ one, text: `${index + 1} ${name} ${counts[one]}` })
  const widthOf = (all: Array<{ text: string }>) => all.reduce((sum, { text }) => sum + text.length + 2, 0)
  const full = BOARD_LISTS.map((one, index) => label(one, index, NAMES[one]))
  const labels =
    widthOf(full) <= width ? full : BOARD_LISTS.map((one, index) => label(one, index, NAMES[one].slice(0, 2)))
  const used = widthOf(labels)
  const shown = labels.map(({ one, text }) => (one === list ? style.bold(`[${text}]`) : style.dim(` ${text} `)))
  return `${shown.join('')}${truncate(search, Math.max(0, width - used))}`
}

function bodyOf(state: BoardState, screen: BoardScreen, room: number): Frame {
  const { mode } = state
  if (mode.kind === 'list' || mode.kind === 'filter')
    return { lines: listBody(state, screen, room), shown: NOTHING_SHOWN }
  if (mode.kind === 'help') return { lines: HELP.map((line) => truncate(line, screen.width)), shown: NOTHING_SHOWN }
  if (mode.kind === 'palette') return { lines: paletteBody(mode, screen, room), shown: NOTHING_SHOWN }
  if (mode.kind === 'search') {
    const lines = [`search: ${toOneLine(mode.text)}_`, ...SEARCH_HELP]
    return { lines: lines.map((line) => truncate(cellText(line, screen.width), screen.width)), shown: NOTHING_SHOWN }
  }
  if (mode.kind === 'pick') {
    const { title, entries, index } = mode
    return {
      lines: choiceBody(
        { title: toOneLine(title), choices: entries.map(({ what }) => what), index, none: 'Nothing was found.' },
        screen,
        room,
      ),
      shown: NOTHING_SHOWN,
    }
  }
  return openedBody(mode, screen, room)
}

function paletteBody({ text, index }: ModeOf<'palette'>, screen: BoardScreen, room: number): string[] {
  const choices = paletteEntries(screen.actions, text).map(
    ({ key, what }) => `${(KEY_NAMES[key] ?? toOneLine(key)).padEnd(6)} ${toOneLine(what)}`,
  )
  return choiceBody({ title: `:${toOneLine(text)}_`, choices, index, none: 'No action is called that.' }, screen, room)
}

interface Choices {
  title: string
  choices: readonly string[]
  index: number
  none: string
}

/** A title, and below it what can be chosen. */
function choiceBody({ title, choices, index, none }: Choices, { style, width }: BoardScreen, room: number): string[] {
  const visible = Math.max(1, room - 1)
  const top = Math.max(0, Math.min(index - Math.floor(visible / 2), choices.length - visible))
  const lines = choices.slice(top, top + visible).map((choice, at) => {
    const isChosen = top + at === index
    const line = truncate(`${isChosen ? '> ' : '  '}${toOneLine(cellText(choice, width))}`, width)
    return isChosen ? style.bold(line) : line
  })
  return [truncate(cellText(title, width), width), ...(lines.length > 0 ? lines : [style.dim(truncate(none, width))])]
}

const SEARCH_HELP = ['', '  words, "two words", project: agent: status: in: file: before: after:, @saved']

const KEY_NAMES: Readonly<Record<string, string>> = { return: 'enter' }

function listBody(state: BoardState, screen: BoardScreen, room: number): string[] {
  const { rows, style, width } = screen
  const row = chosenRow(state, rows)
  const below = row === null ? 0 : Math.floor((room - 2) / 2)
  const visible = Math.max(1, room - 1 - below)
  const index = row === null ? 0 : rows.indexOf(row)
  const top = Math.max(0, Math.min(index - Math.floor(visible / 2), rows.length - visible))
  if (row === null)
    return [style.dim(truncate(state.filter === '' ? EMPTY[state.list] : 'Nothing matches the filter.', width))]
  const shown = rows.slice(top, top + visible)
  const columns = columnsOf(row, screen)
  // The matter is worth more than the title, which the preview has.
  const fitting = state.list === 'queue' && width < ROOM_FOR_TITLES ? columns.slice(0, -1) : columns
  const table = renderTable(fitting, shown, { width, paintTitle: style.dim })
  const most = Math.max(0, below - 1)
  const preview = detailLines(row, screen)
    .slice(0, most)
    .flatMap((line) => linesOf(line.slice(0, most * width * LONGEST), width))
  return [...table, rule(row.who, screen), ...preview.slice(0, most)]
}

const ROOM_FOR_TITLES = 110

/** Characters for each column of the screen that are measured: somebody else's title may have millions, and all of this is drawn at every key. */
const LONGEST = 4

function cellText(text: string, width: number): string {
  return text.slice(0, width * LONGEST)
}

const EMPTY: Record<BoardList, string> = {
  queue: 'Nothing needs you.',
  sessions: 'No sessions. Start one with: ao spawn <issue>',
  pulls: 'No session has a pull request.',
  train: 'No train, or nothing aboard.',
}

function columnsOf(chosen: BoardRow, { now, style, width }: BoardScreen): Column<BoardRow>[] {
  return [
    {
      title: '  WHO',
      text: (row) => cellText(`${row === chosen ? '> ' : '  '}${row.who}`, width),
      paint: (text, row) => (row === chosen ? style.bold(text) : text),
    },
    {
      title: 'STATE',
      text: ({ state }) => cellText(state, width),
      paint: (text, { tone }) => style[TONES[tone]](text),
      min: 8,
    },
    { title: 'AGE', text: ({ since }) => (since === null ? '' : formatAge(new Date(since), now)), align: 'right' },
    {
      title: 'ABOUT',
      text: ({ about }) => cellText(about, width),
      min: 10,
      paint: (text, row) => (row === chosen ? style.bold(text) : text),
    },
    { title: '', text: ({ more }) => cellText(more, width), min: 8, drop: 1, paint: (text) => style.dim(text) },
  ]
}

function rule(name: string, { style, width }: BoardScreen): string {
  const text = truncate(`── ${toOneLine(name)} `, width)
  return style.dim(text + '─'.repeat(Math.max(0, width - displayWidth(text))))
}

/** Other text begins below the name of what is open, and a line of input stays at the bottom. */
function openedBody(mode: Exclude<Mode, { kind: Listing }>, screen: BoardScreen, room: number): Frame {
  const { width, style } = screen
  const { title, text, end } = openedLines(mode, screen)
  const all = text.flatMap((line) => linesOf(line, width))
  const ending = end.flatMap((line) => linesOf(line, width)).slice(-Math.max(1, Math.floor(room / 2)))
  const visible = Math.max(1, room - 1 - ending.length)
  const wanted = 'top' in mode ? mode.top : 0
  const top = Math.max(0, Math.min(wanted, all.length - visible))
  const bottom = Math.min(all.length, top + visible)
  const part = bottom < all.length || top > 0 ? `${title} (${top + 1}-${bottom} of ${all.length})` : title
  const shown = all.slice(top, bottom)
  const blank = Array<string>(visible - shown.length).fill('')
  return {
    lines: [rule(part, screen), ...shown, ...blank, ...ending.map((line) => style.bold(line))],
    shown: { top, bottom, total: all.length },
  }
}

/** A small terminal is for the lists: the first notice has to be enough. */
function noteLines({ note }: BoardState, { notices, style, width, height }: BoardScreen): string[] {
  if (note !== '') return [style.bold(truncate(toOneLine(note), width))]
  if (notices.length === 0) return ['']
  const shown = notices.slice(0, height < 20 ? 1 : MOST_NOTICES)
  return shown.map((text) => style.yellow(truncate(`! ${toOneLine(text)}`, width)))
}

const MOST_NOTICES = 3

/** What a narrow terminal leaves out comes last. */
const LIST_KEYS =
  'enter attach · space reply · y/n answer · v diff · m merge · / find · ? keys · ! pause · : actions · x end · q quit'
const KEYS: Record<Mode['kind'], string> = {
  list: LIST_KEYS,
  filter: 'enter done · esc clear',
  help: 'any key goes back',
  palette: 'type to find · arrows choose · enter does it · esc back',
  ask: 'y allow once · n reject · 1-9 an answer of its own · enter attach · esc back',
  peek: 'enter send · alt-enter new line · page up/down scroll · esc back',
  confirm: 'y yes · any other key: no',
  search: 'enter search · esc back',
  pick: 'arrows choose · enter opens it · esc back',
  page: 'arrows scroll · esc back',
}

/** Whole entries: half a key says nothing. */
function keysLine(mode: Mode, width: number): string {
  let line = ''
  for (const entry of KEYS[mode.kind].split(' · ')) {
    const longer = line === '' ? entry : `${line} · ${entry}`
    if (displayWidth(longer) > width) break
    line = longer
  }
  return line
}
