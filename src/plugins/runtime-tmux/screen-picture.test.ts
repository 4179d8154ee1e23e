import { Terminal } from '@xterm/headless'
import { describe, expect, it } from 'vitest'
import { drawPicture, PICTURE_FORMAT } from './screen-picture.ts'

const FIELDS = PICTURE_FORMAT.split('/').map((field) => field.slice(2, -1))

function answer(values: Record<string, string>, lines: string[]): string {
  const all: Record<string, string> = {
    pane_width: '10',
    pane_height: '4',
    cursor_flag: '1',
    wrap_flag: '1',
    ...values,
  }
  return `${FIELDS.map((field) => all[field] ?? '').join('/')}\n${lines.map((line) => `${line}\n`).join('')}`
}

async function draw(values: Record<string, string>, lines: string[]) {
  const { size, bytes } = drawPicture(answer(values, lines))
  const terminal = new Terminal({ ...size, allowProposedApi: true })
  // What stood there before must not shine through.
  await new Promise<void>((resolve) => terminal.write('old words\u001b[45m\u001b[?1000h\u001b[2;3r', resolve))
  await new Promise<void>((resolve) => terminal.write(bytes, resolve))
  const { active } = terminal.buffer
  const text = Array.from({ length: active.length }, (_, row) => active.getLine(row)!.translateToString(true))
  const background = (row: number, column: number) => {
    const cell = active.getLine(row)!.getCell(column)!
    return cell.isBgDefault() ? null : cell.getBgColor()
  }
  return { terminal, text, background, active }
}

describe('the picture of a pane', () => {
  it('shows the lines where they are, the history above them, and the cursor', async () => {
    const { text, active } = await draw({ cursor_x: '3', cursor_y: '1' }, ['h1', 'h2', 'a', 'b', 'c', 'd'])
    expect(text).toEqual(['h1', 'h2', 'a', 'b', 'c', 'd'])
    expect([active.baseY, active.cursorX, active.cursorY]).toEqual([2, 3, 1])
  })

  it('a background that ends with its line does not run into the next one, one that continues does', async () => {
    const lines = [
      '\u001b[41mred',
      'goes on\u001b[49m',
      '\u001b[48;5;17mblue\u001b[0m x',
      '\u001b[1;38;2;1;2;3;48:5:9mi',
      'j',
    ]
    const { background } = await draw({}, ['h', ...lines])
    expect([background(1, 0), background(1, 5), background(2, 0), background(2, 8)]).toEqual([1, null, 1, null])
    expect([background(3, 0), background(3, 5), background(4, 0), background(4, 2), background(5, 0)]).toEqual([
      17,
      null,
      9,
      null,
      9,
    ])
  })

  it('restores modes: other screen, keys, mouse, brackets, hidden cursor, part that scrolls', async () => {
    const on = { alternate_on: '1', keypad_cursor_flag: '1', mouse_button_flag: '1', mouse_sgr_flag: '1' }
    const { terminal, text } = await draw({ ...on, scroll_region_upper: '1', scroll_region_lower: '2' }, [
      'h',
      'a',
      'b',
      'c',
      'd',
    ])
    expect(text).toEqual(['a', 'b', 'c', 'd'])
    expect(terminal.buffer.active.type).toBe('alternate')
    expect(terminal.modes).toMatchObject({
      applicationCursorKeysMode: true,
      mouseTrackingMode: 'drag',
      bracketedPasteMode: true,
    })
    await new Promise<void>((resolve) => terminal.write('\u001b[3;1Hz\n\n', resolve))
    expect(terminal.buffer.active.getLine(0)!.translateToString(true)).toBe('a')
    expect(terminal.buffer.active.getLine(3)!.translateToString(true)).toBe('d')
  })

  it('forgets modes that are off now', async () => {
    const { terminal } = await draw({ bracket_paste_flag: '0' }, ['a', 'b', 'c', 'd'])
    expect(terminal.modes).toMatchObject({ mouseTrackingMode: 'none', bracketedPasteMode: false })
  })

  it('does not mistake the continuation marker of tmux for a line of the screen', () => {
    const { size } = drawPicture(`%continue %12\n${answer({}, ['a'])}`)
    expect(size).toEqual({ cols: 10, rows: 4 })
  })
})
