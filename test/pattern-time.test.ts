// Every pattern in the sources takes time in proportion to the text, whatever the text is: agents, repositories, forges and screens
// write most of it, and one that takes the square of its length stops the loop for everybody.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'vite'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

/** Texts that are short wherever they come from, by file. */
const BOUNDED: ReadonlyArray<readonly [file: RegExp, why: string]> = [
  [/^src\/plugins\/agent-demo\//, 'scripts of the demo agent, read by its own process'],
  [
    /^src\/plugins\/agent-[\w-]+\/(?:screen|own-dialogs|read-)|\/screen-rules\.ts$/,
    'a screen: some hundred short lines',
  ],
  [/^src\/core\/message\/decide-entry\.ts$/, 'one line of a screen'],
  [/^src\/cli\/about\//, 'a text of ours'],
]

/** A pattern that takes the square of the last needs about a hundred milliseconds, one that does not far less than one; the others end worse ones soon. */
const LENGTHS = [24, 300, 12_000]
const MOST_MS = 20

it('finds the patterns that are known to be slow', () => {
  const slow = [/a+b/, /\s+$/]
  expect(slow.map((pattern) => slowText(pattern) !== null)).toEqual([true, true])
  expect([/^a+b/, /(?<!a)a+b/, /\d{1,5}x/, /^[^\n]*\n/].map(slowText)).toEqual([null, null, null, null])
})

it('takes time in proportion to the text in every pattern', { timeout: 60_000 }, () => {
  const files = globSync('{src,web/src}/**/*.{ts,tsx,mjs}', { cwd: ROOT }).filter(
    (file) => !file.endsWith('.test.ts') && !BOUNDED.some(([pattern]) => pattern.test(file)),
  )
  const patterns = new Map(files.flatMap((file) => patternsIn(file).map((one) => [`${one.pattern}`, { file, ...one }])))
  const slow = [...patterns.values()].flatMap(({ file, line, pattern }) => {
    const text = slowText(pattern)
    return text === null ? [] : [`${file}:${line} ${pattern} for ${text}`]
  })
  expect(patterns.size).toBeGreaterThan(700)
  expect(slow).toEqual([])
})

function patternsIn(file: string): Array<{ line: number; pattern: RegExp }> {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const found: Array<{ line: number; pattern: RegExp }> = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { regex, start } = node as { regex?: { pattern: string; flags: string }; start?: number }
    if (regex) {
      const line = text.slice(0, start).split('\n').length
      found.push({ line, pattern: new RegExp(regex.pattern, regex.flags) })
      return
    }
    for (const inner of Object.values(node)) visit(inner)
  }
  visit(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }))
  return found
}

/** What it is slow for, in words; null: nothing that was tried. */
function slowText(pattern: RegExp): string | null {
  if (!/[*+]|\{\d+,/.test(pattern.source)) return null
  const example = exampleOf(pattern.source)
  const letters = new Set([...example.join(''), ' ', '\n', 'a', '0', '.', '/'])
  for (let at = 0; at <= example.length; at++) {
    const before = example.slice(0, at).join('')
    const rest = example.slice(at).join('')
    const units = [...letters, example.slice(at, at + 2).join(''), example.slice(at, at + 4).join(''), before, rest]
    for (const unit of new Set(units.filter(Boolean))) {
      for (const length of LENGTHS) {
        const many = unit.repeat(Math.ceil(length / unit.length))
        const isSlow = ['\u0001', '\n\u0001'].some((end) => isTooSlow(pattern, `${before}${many}${end}`))
        if (isSlow) return `${JSON.stringify(before)} and many ${JSON.stringify(unit)}`
      }
    }
  }
  return null
}

/** Other programs may have had the processor meanwhile: the fastest of ten counts. */
function isTooSlow(pattern: RegExp, text: string): boolean {
  for (let tries = 0; tries < 10; tries++) if (msOf(pattern, text) <= MOST_MS) return false
  return true
}

function msOf(pattern: RegExp, text: string): number {
  const start = performance.now()
  if (pattern.global) text.replace(pattern, '')
  else {
    pattern.lastIndex = 0
    pattern.exec(text)
  }
  return performance.now() - start
}

const CLASSES: Readonly<Record<string, string>> = {
  s: ' ',
  S: 'a',
  w: 'a',
  W: ' ',
  d: '0',
  D: 'a',
  n: '\n',
  t: '\t',
  r: '\r',
  b: '',
  B: '',
}

/** The parts of a text that it may match: the first of all alternatives, each part once. */
function exampleOf(source: string): string[] {
  const parts: string[] = []
  let depth = 0
  /** Inside an alternative that is not the first: of which group. */
  let skips: number | null = null
  for (let at = 0; at < source.length; at++) {
    const letter = source[at]!
    let part = ''
    if (letter === '\\') part = CLASSES[source[++at]!] ?? (/[a-zA-Z]/.test(source[at]!) ? '' : source[at]!)
    else if (letter === '[') {
      const end = endOfClass(source, at)
      part = memberOf(source.slice(at, end + 1))
      at = end
    } else if (letter === '(') {
      depth++
      const head = /^\(\?(?:<?[=!]|:|<\w+>)/.exec(source.slice(at))?.[0] ?? '('
      if (/[=!]$/.test(head)) skips ??= depth
      at += head.length - 1
    } else if (letter === ')') {
      if (skips === depth) skips = null
      depth--
    } else if (letter === '|') skips ??= depth
    else if (letter === '{') at = source.indexOf('}', at)
    else if (letter === '.') part = 'a'
    else if (!'^$*+?'.includes(letter)) part = letter
    if (part !== '' && skips === null) parts.push(part)
  }
  return parts.slice(0, 24)
}

function endOfClass(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') at++
    else if (source[at] === ']') return at
  }
  return source.length
}

/** A letter that the class takes: of those that it names, else a usual one. */
function memberOf(text: string): string {
  const test = new RegExp(text, 'u').test.bind(new RegExp(text, 'u'))
  return [...text.slice(1, -1), ...' a0-./"'].find((letter) => letter !== '\\' && letter !== '^' && test(letter)) ?? ''
}
