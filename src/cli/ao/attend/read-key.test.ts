import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import type { Io } from '../../print/io.ts'
import { discardTyped, readKey } from './read-key.ts'

it('a key that was typed before the question is no answer to it', async () => {
  const stream = Object.assign(new PassThrough(), { setRawMode: () => stream, isTTY: true })
  const io = { stdin: stream as unknown as Io['stdin'] }
  stream.write('y')
  await discardTyped(io)
  const key = readKey(io)
  stream.write('n')
  expect(await key).toBe('n')
  stream.end()
  await discardTyped(io)
  expect(await readKey(io)).toBe('q')
})
