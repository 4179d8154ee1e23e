import { PassThrough } from 'node:stream'
import { afterEach, expect, it, vi } from 'vitest'
import type { Io } from '../../print/io.ts'
import { openLineInput } from './line-input.ts'

let close = (): void => undefined
afterEach(() => close())

function open(TERM = 'xterm') {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined })
  const output = new PassThrough()
  const done: string[] = []
  const io = { stdin, env: { TERM } } as unknown as Pick<Io, 'stdin' | 'env'>
  const options = {
    onLine: (line: string) => void done.push(line),
    onPaste: (count: number) => void done.push(`${count} pasted`),
    onEnd: () => undefined,
  }
  const input = openLineInput(io, options, output)
  close = () => input.close()
  const settles = (expected: string[]) => vi.waitFor(() => expect(done).toEqual(expected), 5_000)
  return { type: (text: string) => stdin.write(text), settles, output, input }
}

it('takes what was typed line by line', async () => {
  const { type, settles } = open()
  type('queue\r')
  await settles(['queue'])
  type('1\r')
  await settles(['queue', '1'])
})

it.each([
  ['lines in brackets', '\x1b[200~approve\ryes\rmerge\x1b[201~', '2 pasted'],
  ['one line in brackets', '\x1b[200~yes\r\x1b[201~', '1 pasted'],
  ['lines without brackets', 'approve\ryes\r', '2 pasted'],
  ['a text that ends its own paste', '\x1b[200~a\x1b[201~\ryes\r\x1b[201~', '2 pasted'],
  ['a paste that never ends', '\x1b[200~approve\ryes\r', '2 pasted'],
])('does nothing with %s', async (_what, text, expected) => {
  const { type, settles } = open()
  type(text)
  await settles([expected])
  // Nothing of it stands before the next words.
  type('queue\r')
  await settles([expected, 'queue'])
})

it('lets a person paste words into the line that they end themselves', async () => {
  const { type, settles } = open()
  type('reply \x1b[200~try it again\x1b[201~')
  await new Promise((resolve) => setTimeout(resolve, 100))
  type('\r')
  await settles(['reply try it again'])
})

it('does nothing with pasted lines where a terminal knows no brackets', async () => {
  const { type, settles } = open('dumb')
  type('approve\nyes\n')
  await settles(['2 pasted'])
})

it('asks the terminal for brackets only as long as it reads', async () => {
  const { output, input } = open()
  expect(String(output.read())).toContain('\x1b[?2004h')
  input.close()
  expect(String(output.read())).toContain('\x1b[?2004l')
})
