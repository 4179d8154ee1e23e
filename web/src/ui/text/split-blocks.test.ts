import { describe, expect, it } from 'vitest'
import { splitBlocks, splitLine } from './plain-text.tsx'

describe('splitWords', () => {
  it('knows paragraphs, quotes and code, and an open fence goes to the end', () => {
    const text = 'One\ntwo\n\n> said\n> before\nThree\n```js\nconst a = 1\n\n> no quote\n```\nFour\n```\nrest'
    expect(splitBlocks(text).map(({ kind, text: wording }) => [kind, wording])).toEqual([
      ['text', 'One\ntwo'],
      ['quote', 'said\nbefore'],
      ['text', 'Three'],
      ['code', 'const a = 1\n\n> no quote'],
      ['text', 'Four'],
      ['code', 'rest'],
    ])
  })

  it('gives nothing for nothing', () => {
    expect(splitBlocks(' \n\n```\n```\n')).toEqual([])
  })
})

describe('splitLine', () => {
  it('finds code and web addresses, without the point behind them, and no other scheme', () => {
    expect(splitLine('See `a b` at https://example.com/x?y=1. Not javascript:alert(1)')).toEqual([
      { kind: 'text', text: 'See ' },
      { kind: 'code', text: 'a b' },
      { kind: 'text', text: ' at ' },
      { kind: 'link', text: 'https://example.com/x?y=1' },
      { kind: 'text', text: '.' },
      { kind: 'text', text: ' Not javascript:alert(1)' },
    ])
  })
})
