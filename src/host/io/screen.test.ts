import { describe, expect, it } from 'vitest'
import { createScreen, type Screen } from './screen.ts'

async function draw(text: string, size = { cols: 20, rows: 5 }): Promise<Screen> {
  const screen = createScreen(size.cols, size.rows)
  screen.write(text, () => undefined)
  await screen.flush()
  return screen
}

describe('the text of a screen', () => {
  it.each([
    ['nothing', '', ''],
    ['plain lines', 'one\r\n\r\ntwo  \r\n', 'one\n\ntwo'],
    ['colours', '\u001b[31mred\u001b[0m plain', 'red plain'],
    ['a line that wraps', `${'abcdefghij'.repeat(5)}\r\nnext`, `${'abcdefghij'.repeat(5)}\nnext`],
    ['history', '1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7', '1\n2\n3\n4\n5\n6\n7'],
    ['overwritten text', 'hello\rHELL', 'HELLo'],
    ['wide letters', '漢字 😀', '漢字 😀'],
    // The next letter stands where a program puts it that counts two columns.
    ['joined emoji as one letter', '👩‍👩‍👧 \r\u001b[2CX', '👩‍👩‍👧X'],
    ['marks that nobody sees', 'a\u202eb\u202c\u001b[1mc\u200bd\u001b[4G漢\u2060', 'a\u202eb\u202cc\u200b漢\u2060'],
  ])('holds %s', async (_what, drawn, text) => {
    expect((await draw(drawn)).text(100)).toBe(text)
  })

  it('ends with the last lines that were asked for', async () => {
    expect((await draw('1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n')).text(2)).toBe('6\n7')
  })

  it('is bounded', async () => {
    const screen = await draw(Array.from({ length: 8_000 }, (_, n) => `line ${n}`).join('\r\n'))
    const lines = screen.text(10_000).split('\n')
    expect(lines.length).toBeLessThanOrEqual(5_010)
    expect(lines.at(-1)).toBe('line 7999')
  })
})

describe('a screen', () => {
  it('knows whether the application asked for bracketed paste', async () => {
    expect((await draw('\u001b[?2004h')).wantsBracketedPaste()).toBe(true)
    expect((await draw('\u001b[?2004h\u001b[?2004l')).wantsBracketedPaste()).toBe(false)
  })

  it('can be drawn again from its picture, on either of its two pages', async () => {
    for (const drawn of ['a \u001b[1;32mb\u001b[0m\r\nc', 'first\r\n\u001b[?1049h\u001b[2;3Hon the other page']) {
      const original = await draw(drawn)
      const copy = await draw(original.picture())
      expect(copy.text(100)).toBe(original.text(100))
      expect(copy.picture()).toBe(original.picture())
    }
  })

  it('answers the application itself only while nobody watches', async () => {
    const screen = createScreen(20, 5)
    const answers: string[] = []
    screen.onAnswer((data) => answers.push(data))
    screen.write('\u001b[6n', () => undefined)
    await screen.flush()
    expect(answers).toEqual(['\u001b[1;1R'])
    const seen: string[] = []
    const stop = screen.onDrawn((data) => seen.push(data))
    screen.write('x\u001b[6n', () => undefined)
    await screen.flush()
    expect(answers).toHaveLength(1)
    expect(seen).toEqual(['x\u001b[6n'])
    stop()
  })
})
