// The colours of a unit of lines: syntax, and the changed words. Works within limits, because grammars are regular
// expressions and the text is untrusted; beyond them lines are plain.

import { type ChangeData, type HunkData, type HunkTokens, markEdits, type TokenNode, tokenize } from 'react-diff-view'
import { refractor } from 'refractor'
import docker from 'refractor/docker'
import jsx from 'refractor/jsx'
import toml from 'refractor/toml'
import tsx from 'refractor/tsx'
import { ownValue } from '../../../src/core/text/json-fields.ts'
import { readableText } from '../../../src/core/text/visible-text.ts'
import { pairEdited } from './edited-pairs.ts'
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

// Which grammar colours a file, by its name. The languages agents write most; others stay plain.

for (const grammar of [jsx, tsx, docker, toml]) refractor.register(grammar)

/** Where the extension is not the grammar's own name or alias. */
const ENDINGS: Readonly<Record<string, string>> = {
  mjs: 'javascript',
  cjs: 'javascript',
  mts: 'typescript',
  cts: 'typescript',
  h: 'c',
  cc: 'cpp',
  hpp: 'cpp',
  htm: 'html',
  sh: 'bash',
  zsh: 'bash',
  yml: 'yaml',
  jsonc: 'json',
  vue: 'html',
}

/** null: it is shown without colours. */
function languageOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  if (/^(dockerfile|containerfile)/.test(name)) return 'docker'
  if (name === 'makefile') return 'makefile'
  const ending = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : ''
  const language = ownValue(ENDINGS, ending) ?? ending
  return language !== '' && refractor.registered(language) ? language : null
}

function highlight(text: string, language: string) {
  return refractor.highlight(text, language).children
}
