// The terminal board line by line, for screen readers and simple terminals: words press the keys of the other one, so that the
// same rules hold. Nothing that was printed changes.
import { errorText } from '../../../contract/errors.ts'
import { BOARD_LISTS, type BoardList, type BoardRow } from '../../../core/board/board-rows.ts'
import { firstState, type Intent, noteDrawn, type Press } from '../../../core/board/board-state.ts'
import { ownActions } from '../../../core/board/own-actions.ts'
import { pressKey } from '../../../core/board/press-key.ts'
import { formatAge, plural } from '../../../core/text/format-age.ts'
import { requireSession } from '../../../manager/observe/require-session.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import type { Ao } from '../open-ao.ts'
import { attachHere } from '../session/attach-here.ts'
import { carryOut, isOpening, runOwn } from './carry-out.ts'
import { openedLines } from './describe-row.ts'
import { openLineInput } from './line-input.ts'
import { followLive } from './live-board.ts'
import { readOpening } from './read-opening.ts'

const WORDS: Readonly<Record<string, string>> = {
  allow: 'y',
  yes: 'y',
  deny: 'n',
  no: 'n',
  attach: 'return',
  diff: 'v',
  merge: 'm',
  approve: 'o',
  stop: 'i',
  end: 'x',
  back: 'b',
  pin: 'p',
  snooze: 'z',
  turns: 't',
  undo: 'u',
}

const HELP = [
  'queue, sessions, pulls, train: print that list',
  'a number: open that row; allow, deny or option 2 answer what it asks',
  'reply and words: send them to the open row',
  'approve: approve the head of its pull request; changes and words: say what has to change in it',
  'attach, diff, merge, stop (its turn), end (the agent), back (bring it back), pin, snooze: about the open row',
  'pause: stop every agent where it is; resume: let them go on',
  'search and words: find them in everything that sessions said and did',
  'turns: what the open row can go back to; undo: what people did; a number then opens one of them',
  'find and words: only rows with them; find alone: all of them',
  'help, quit',
]

export async function runLinear(ao: Ao, io: Io): Promise<number> {
  const over = Promise.withResolvers<void>()
  let state = firstState()
  let announced: Set<string> | null = null
  const live = followLive(ao, io, () => announced === null || announce())
  /** The terminal is the session's. */
  let isLent = false
  let input = openInput()

  function openInput() {
    return openLineInput(io, {
      onLine: (line) => void obey(line.trim()).finally(() => input.prompt()),
      onPaste: (count) => {
        io.print(
          `${plural(count, 'line')} came at once, as from a paste: nothing was done. To send a text, begin with: reply`,
        )
        input.prompt()
      },
      // Closed by us to lend the terminal, or by the person with Ctrl-D.
      onEnd: () => isLent || over.resolve(),
    })
  }
  const rows = (list: BoardList = state.list) => live.screen({ ...state, list }).rows
  /** As they were printed last: a number means the row that the person read, wherever it is by now. */
  let printed: readonly BoardRow[] = []
  /** Those that began to wait since the last time. */
  function announce(): void {
    const queue = rows('queue')
    const fresh = queue.filter(({ key }) => announced?.has(key) === false)
    announced = new Set(queue.map(({ key }) => key))
    if (fresh.length > 0) io.print(`\nNew: ${fresh.map((row) => lineOf(row, io.clock.now())).join('; ')}`)
  }
  function printList(): void {
    const shown = rows()
    printed = shown
    const { source } = live.screen(state)
    io.print(`${state.list}: ${shown.length}${source === '' ? '' : ` (${source})`}`)
    io.printLines(shown.map((row, index) => `${index + 1}. ${lineOf(row, io.clock.now())}`))
  }
  async function obey(line: string): Promise<void> {
    const [word = '', ...rest] = line.split(/\s+/)
    const text = line.slice(word.length).trim()
    if (word === '') return
    if (word === 'quit' || word === 'q') return over.resolve()
    if (word === 'help') return io.printLines(HELP)
    if (word === 'find') state = { ...state, filter: text, mode: { kind: 'list' } }
    const list = BOARD_LISTS.find((one) => one === word)
    if (list !== undefined) state = { ...state, list, mode: { kind: 'list' } }
    if (list !== undefined || word === 'find') return printList()
    if (/^\d+$/.test(word) && state.mode.kind === 'pick') return pick(Number(word))
    if (/^\d+$/.test(word)) return open(findPrinted(printed, word, rows()))
    if (word === 'option') return press(rest[0] ?? '')
    if (word === 'reply' && state.mode.kind !== 'confirm') return write('a', text)
    if (word === 'changes' && state.mode.kind !== 'confirm') return write('c', text)
    if (word === 'search') return act({ kind: 'search', text }).catch((error) => io.print(errorText(error)))
    if (word === 'pause' || word === 'resume') return act({ kind: word }).catch((error) => io.print(errorText(error)))
    const key = WORDS[word] ?? ownActions(ao.config.actions).find(({ name }) => name === word)?.key
    if (key === undefined) return io.print(`There is no ${toOneLine(word)} here; try: help`)
    // What is open is read; other keys begin from the list.
    const isAnswer = state.mode.kind === 'confirm' || (state.mode.kind === 'ask' && /^[yn]$/.test(key))
    if (!isAnswer) state = { ...state, mode: { kind: 'list' } }
    return press(key)
  }
  function open(row: BoardRow | undefined): Promise<void> | void {
    if (row === undefined) return io.print('There is no such row now; print the list again.')
    state = { ...state, mode: { kind: 'list' }, chosen: { ...state.chosen, [state.list]: { key: row.key, index: 0 } } }
    return press('space')
  }
  async function pick(number: number): Promise<void> {
    if (state.mode.kind === 'pick') state = { ...state, mode: { ...state.mode, index: number - 1 } }
    await press('return')
  }
  /** Into what the key opens. */
  async function write(key: string, text: string): Promise<void> {
    state = { ...state, mode: { kind: 'list' } }
    await press(key, false)
    if (state.mode.kind !== 'peek') return
    state = pressKey(state, { kind: 'paste', text }, live.view(state)).state
    await press('return')
  }
  async function press(name: string, isPrinted = true): Promise<void> {
    const key: Press = { kind: 'key', name, text: name, ctrl: false, meta: false, inBurst: false }
    const pressed = pressKey(state, key, live.view(state))
    state = pressed.state
    if (isPrinted) printOpened()
    if (pressed.intent !== undefined) await act(pressed.intent).catch((error) => io.print(errorText(error)))
    if (state.note !== '') io.print(toOneLine(state.note))
    state = { ...state, note: '' }
  }
  /** In full, which is why an answer may follow. */
  function printOpened(): void {
    const { mode } = state
    if (mode.kind === 'pick') {
      io.print(toOneLine(`${mode.title}: ${mode.entries.length}`))
      io.printLines(mode.entries.map(({ what }, index) => `${index + 1}. ${toOneLine(what)}`))
    }
    if (mode.kind !== 'ask' && mode.kind !== 'peek' && mode.kind !== 'confirm' && mode.kind !== 'page') return
    const { title, text, end } = openedLines(mode, live.screen(state))
    io.printLines([title, ...text, ...(mode.kind === 'ask' ? end : [])])
    if (mode.kind === 'ask') io.print('allow, deny, or option and its number?')
    if (mode.kind === 'confirm') io.print('yes or no?')
    state = noteDrawn(state, { top: 0, bottom: text.length, total: text.length }, performance.now())
  }
  async function act(intent: Intent): Promise<void> {
    if (intent.kind === 'quit') return over.resolve()
    if (isOpening(intent)) {
      const opened = await readOpening(ao, io, intent, (id) => live.view(state).card(id) !== null)
      state = { ...state, ...opened }
      return printOpened()
    }
    if (intent.kind !== 'join' && intent.kind !== 'own') return io.print(toOneLine(await carryOut(ao, io, intent)))
    const session = await requireSession(ao.context, intent.sessionId)
    isLent = true
    input.close()
    try {
      if (intent.kind === 'own') io.print(toOneLine(await runOwn(ao, intent, io)))
      else await attachHere(ao, session, io)
    } finally {
      isLent = false
      input = openInput()
    }
  }

  io.print('The board, line by line. help lists the words, quit leaves.')
  await live.ready
  announced = new Set(rows('queue').map(({ key }) => key))
  printList()
  input.prompt()
  await over.promise
  input.close()
  await live.close()
  return 0
}

export function lineOf({ who, state, since, about }: BoardRow, now: Date): string {
  const age = since === null ? '' : `, ${formatAge(new Date(since), now)}`
  return toOneLine(`${who}, ${state}${age}: ${about.split('\n')[0]}`)
}

/** The row that was printed with this number, as it is now; undefined: there was none, or it is gone. */
export function findPrinted(
  printed: readonly BoardRow[],
  number: string,
  now: readonly BoardRow[],
): BoardRow | undefined {
  const wanted = printed[Number(number) - 1]?.key
  return wanted === undefined ? undefined : now.find(({ key }) => key === wanted)
}
