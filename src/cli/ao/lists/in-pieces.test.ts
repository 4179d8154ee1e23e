import { expect, it } from 'vitest'
import { inPieces } from './serve-lists.ts'

it.each(['', 'a', 'abcd', '🙂🙂🙂', 'a🙂b🙂', 'äöü€🙂x'])('a text in pieces is the same text: %s', (text) => {
  for (const size of [1, 2, 3, 100]) {
    const pieces = [...inPieces(text, size)]
    expect(Buffer.concat(pieces).toString()).toBe(text)
    expect(pieces.join('')).toBe(text)
  }
})
