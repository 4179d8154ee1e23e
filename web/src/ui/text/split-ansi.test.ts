import { describe, expect, it } from 'vitest'
import { splitAnsi } from './split-ansi.ts'

const show = (text: string) =>
  splitAnsi(text)
    .map(({ text: part, tone, bold, underline }) => `${tone ?? ''}${bold ? '!' : ''}${underline ? '_' : ''}[${part}]`)
    .join('')

describe('text of a terminal', () => {
  it.each([
    ['plain', '[plain]'],
    ['\u001b[31mred\u001b[0m and not', 'bad[red][ and not]'],
    ['\u001b[1;32mok\u001b[22m still green\u001b[39m', 'good![ok]good[ still green]'],
    ['\u001b[91mbright\u001b[m', 'bad[bright]'],
    ['\u001b[38;5;2mgreen\u001b[38;5;200mstays\u001b[38;2;1;2;3;1mbold', 'good[green]good[stays]good![bold]'],
    ['\u001b[48;5;1mground', '[ground]'],
    ['\u001b[4mline\u001b[24m', '_[line]'],
    ['10%\r50%\r100%\ndone', '[100%\ndone]'],
    ['a\r\nb', '[a\nb]'],
    ['\u001b[2J\u001b[1;1Hhome\u0007\u001b]0;title\u0007!', '[home][!]'],
    ['\u001b]8;;javascript:alert(1)\u0007click\u001b]8;;\u0007', '[click]'],
    ['\u001b[31', '[[31]'],
    ['', ''],
  ])('%j is %s', (text, expected) => {
    expect(show(text)).toBe(expected)
  })

  it('takes time in proportion to its length', () => {
    const startedAt = performance.now()
    splitAnsi('a'.repeat(1_000_000))
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  })
})
