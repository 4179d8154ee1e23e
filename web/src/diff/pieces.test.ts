import { describe, expect, it } from 'vitest'
import { type DiffFile, parseDiff } from './parse-diff.ts'
import { cutPieces, cutUnits } from './pieces.ts'
import { tokensOf } from './tokens.ts'

function fileOf(removed: string[], added: string[], path = 'a.js'): DiffFile {
  const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)]
  const head = `@@ -1,${removed.length} +1,${added.length} @@`
  return parseDiff(`diff --git a/${path} b/${path}\n${head}\n${lines.join('\n')}\n`)[0]!
}

const many = (count: number, text = (n: number) => `let x${n} = ${n}`) =>
  Array.from({ length: count }, (_, n) => text(n))

/** The text of a line out of its coloured parts, and what they are called. */
function read(file: DiffFile, index: number) {
  const line = file.hunks[0]!.lines[index]!
  const tokens = tokensOf(cutUnits(file).get(line)!, file.path).get(line)
  const parts = (tokens ?? []).flatMap(function flat(node): Array<{ text: string; names: string }> {
    const names = `${node.type} ${[node.properties?.className].flat().join(' ')}`
    if (node.children) return node.children.flatMap(flat).map((one) => ({ ...one, names: `${names} ${one.names}` }))
    return [{ text: String(node.value ?? ''), names }]
  })
  return { text: parts.map(({ text }) => text).join(''), parts }
}

describe('the pieces of a file', () => {
  it('hold every line once, in the order of the layout', () => {
    const file = fileOf(
      many(250),
      many(260, (n) => `let y${n}`),
    )
    const { lines } = file.hunks[0]!
    expect(cutPieces(file, 'unified').flatMap((piece) => piece.lines)).toEqual(lines)
    const split = cutPieces(file, 'split')
    expect(new Set(split.flatMap((piece) => piece.lines))).toEqual(new Set(lines))
    expect(split.flatMap((piece) => piece.lines)).toHaveLength(lines.length)
    expect(split.map(({ rows }) => rows)).toEqual([100, 100, 60])
    // Side by side: what was removed and what is in its place follow each other.
    expect(split[0]!.lines.slice(0, 2).map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'removed let x0 = 0',
      'added let y0',
    ])
  })
})

describe('the colours of a line', () => {
  it('name its syntax and mark the words that changed, and leave the text as it is', () => {
    const file = fileOf(['const total = first + second'], ['const total = first - second'])
    const { text, parts } = read(file, 1)
    expect(text).toBe('const total = first - second')
    expect(parts.find((part) => part.text === 'const')?.names).toContain('keyword')
    expect(parts.filter(({ names }) => names.includes('edit')).map((part) => part.text)).toEqual(['-'])
  })

  it('know a comment that began some lines before', () => {
    const file = fileOf([], ['/* one', 'two', '*/ let x'])
    expect(read(file, 1).parts[0]?.names).toContain('comment')
  })

  it.each([
    ['a line that is too long', fileOf([], ['x'.repeat(1_001), 'let x'])],
    [
      'too much text',
      fileOf(
        [],
        many(400, (n) => `let x${n} = '${'y'.repeat(300)}'`),
      ),
    ],
  ])('are left out for %s', (_what, file) => {
    expect(read(file, 1).parts).toEqual([])
  })

  it('do without a grammar that is unknown, and never make markup', () => {
    const file = fileOf(['<b>old</b> value of it'], ['<b>new</b> value of it'], 'file.unknown')
    expect(read(file, 1).text).toBe('<b>new</b> value of it')
  })

  it('do not believe the numbers of a hunk', () => {
    const diff = 'diff --git a/a.js b/a.js\n@@ -4000000000,1 +4000000000,1 @@\n-let x\n+let y\n'
    expect(read(parseDiff(diff)[0]!, 1).text).toBe('let y')
  })
})
