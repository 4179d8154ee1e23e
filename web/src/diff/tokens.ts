// The colours of a unit of lines: syntax, and the changed words. Works within limits, because grammars are regular
// expressions and the text is untrusted; beyond them lines are plain.

import { type ChangeData, type HunkData, type HunkTokens, markEdits, type TokenNode, tokenize } from 'react-diff-view'
import { readableText } from '../../../src/core/text/visible-text.ts'
import { pairEdited } from './edited-pairs.ts'
import { highlight, languageOf } from './languages.ts'
import type { DiffLine } from './parse-diff.ts'
import type { Unit } from './pieces.ts'

const LONGEST_LINE = 1_000
const LONGEST_UNIT = 100_000
/** Words are compared within a change of this many lines; a longer one is a rewrite. */
const LONGEST_EDIT = 60

const cache = new WeakMap<Unit, ReadonlyMap<DiffLine, TokenNode[]>>()
const PLAIN: ReadonlyMap<DiffLine, TokenNode[]> = new Map()

/** By line; a missing one is plain. */
export function tokensOf(unit: Unit, path: string): ReadonlyMap<DiffLine, TokenNode[]> {
  const before = cache.get(unit)
  if (before) return before
  const tokens = isModest(unit) ? colour(unit, path) : PLAIN
  cache.set(unit, tokens)
  return tokens
}

export function isColoured(unit: Unit): boolean {
  return cache.has(unit)
}

function isModest(unit: Unit): boolean {
  let sum = 0
  for (const { text } of unit) {
    if (text.length > LONGEST_LINE) return false
    sum += text.length
  }
  return sum <= LONGEST_UNIT
}

function colour(unit: Unit, path: string): ReadonlyMap<DiffLine, TokenNode[]> {
  const changes = numbered(unit)
  const hunk = toHunk(changes)
  const language = languageOf(path)
  const pairs = changeBlocks(changes).flatMap(pairsOf)
  const enhancers = [markEdits(pairs.map(toHunk), { type: 'line' })]
  // The library's types are for an earlier refractor; only this is used of it.
  const refractor = { highlight } as never
  const tokens = language
    ? tokenize([hunk], { highlight: true, refractor, language, enhancers })
    : tokenize([hunk], { enhancers })
  return new Map(unit.map((line, index) => [line, tokensOfChange(changes[index]!, tokens)]))
}

function tokensOfChange(change: ChangeData, tokens: HunkTokens): TokenNode[] {
  if (change.type === 'delete') return tokens.old[change.lineNumber - 1] ?? []
  return tokens.new[(change.type === 'insert' ? change.lineNumber : change.newLineNumber) - 1] ?? []
}

/** Counted from 1, whatever the file says: the library creates as many lines as the last number. */
function numbered(unit: Unit): ChangeData[] {
  let old = 0
  let fresh = 0
  return unit.map((line) => {
    if (line.kind !== 'added') old += 1
    if (line.kind !== 'removed') fresh += 1
    return toChange({ ...line, oldLine: old, newLine: fresh })
  })
}

/** Consecutive changes. */
function changeBlocks(changes: readonly ChangeData[]): ChangeData[][] {
  const blocks: ChangeData[][] = [[]]
  for (const change of changes) {
    if (change.type !== 'normal') blocks.at(-1)!.push(change)
    else if (blocks.at(-1)!.length > 0) blocks.push([])
  }
  return blocks.filter((block) => block.length <= LONGEST_EDIT)
}

function pairsOf(block: readonly ChangeData[]): ChangeData[][] {
  const of = (type: ChangeData['type']) => block.filter((change) => change.type === type)
  return pairEdited(of('delete'), of('insert'), ({ content }) => content)
}

/** A line in the library's format, as it is drawn: code that would turn around or hide is spelled out. */
export function toChange({ kind, text: raw, oldLine, newLine }: DiffLine): ChangeData {
  const text = readableText(raw)
  if (kind === 'added') return { type: 'insert', isInsert: true, lineNumber: newLine ?? 0, content: text }
  if (kind === 'removed') return { type: 'delete', isDelete: true, lineNumber: oldLine ?? 0, content: text }
  const numbers = { oldLineNumber: oldLine ?? 0, newLineNumber: newLine ?? 0 }
  return { type: 'normal', isNormal: true, ...numbers, content: text }
}

export function toHunk(changes: ChangeData[]): HunkData {
  return { content: '', oldStart: 0, newStart: 0, oldLines: 0, newLines: 0, changes }
}
