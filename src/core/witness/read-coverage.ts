// Which lines ran, from what a coverage tool wrote: lcov, Istanbul's JSON, V8's JSON, Cobertura's XML, Go's profile. It is written by the
// change that is under test, so only its files and lines are taken from it, within limits. Pure.

import { isObject } from '../text/json-fields.ts'
import { readXml } from './read-xml.ts'

/** Hits by line. */
type Lines = Map<number, number>
export type Coverage = Map<string, Lines>

export interface CoverageFiles {
  /** The file of the change that a report means with this name; null: none. */
  find(reported: string): string | null
  /** Its text: V8 counts characters. */
  textOf(path: string): string | null
  /** What reading may cost, in lines that are counted: a few bytes of a report can name millions. Of all reports together. */
  left: { steps: number }
}

export const MOST_STEPS = 30_000_000
const HIGHEST_LINE = 1_000_000

function spend({ left }: CoverageFiles, steps: number): void {
  left.steps -= steps
  if (left.steps < 0) throw new Error('it takes too long to read')
}

/** Into `into`, so that several files add up. false: it is in none of these forms. Throws an Error that says what is wrong with it. */
export function readCoverage(text: string, files: CoverageFiles, into: Coverage): boolean {
  const add = (path: string | null, line: number, hits: number) => {
    spend(files, 1)
    if (path === null || !Number.isInteger(line) || line < 1 || line > HIGHEST_LINE) return
    const lines = into.get(path) ?? new Map<number, number>()
    lines.set(line, Math.max(lines.get(line) ?? 0, hits > 0 ? 1 : 0))
    into.set(path, lines)
  }
  const find = (name: string) => {
    spend(files, 1 + (name.length * Math.min(name.length, DEEPEST)) / CHARACTERS)
    return files.find(name)
  }
  return [readLcov, readGo, readCobertura, readJson].some((read) => read(text, { ...files, find }, add))
}

/** A name is sought below each of its directories, and this many of its characters take as long as one line. */
const DEEPEST = 64
const CHARACTERS = 64

/** One after the other: all of them at once may be millions. */
function* rowsOf(text: string): Generator<string> {
  for (let at = 0; at <= text.length; ) {
    const end = text.indexOf('\n', at)
    yield text.slice(at, end === -1 ? text.length : end)
    if (end === -1) return
    at = end + 1
  }
}

type Reader = (
  text: string,
  files: CoverageFiles,
  add: (path: string | null, line: number, hits: number) => void,
) => boolean

const readLcov: Reader = (text, { find }, add) => {
  if (!/^(?:TN:.*\r?\n)?SF:/m.test(text.slice(0, 10_000))) return false
  let path: string | null = null
  for (const row of rowsOf(text)) {
    if (row.startsWith('SF:')) path = find(row.slice(3).trim())
    else if (row.startsWith('end_of_record')) path = null
    else if (path !== null && row.startsWith('DA:')) {
      const [line, hits] = row.slice(3).split(',')
      add(path, Number(line), Number(hits))
    }
  }
  return true
}

const BLOCK = /^(.{1,1000}):(\d{1,7})\.\d{1,7},(\d{1,7})\.\d{1,7} \d{1,9} (\d{1,15})\r?$/
const LONGEST_BLOCK = 10_000

const readGo: Reader = (text, { find }, add) => {
  if (!/^mode: (?:set|count|atomic)\r?\n/.test(text)) return false
  const found = new Map<string, string | null>()
  for (const row of rowsOf(text)) {
    const [, name = '', first, last, hits] = BLOCK.exec(row) ?? []
    if (first === undefined) continue
    if (!found.has(name)) found.set(name, find(name))
    const end = Math.min(Number(last), Number(first) + LONGEST_BLOCK)
    for (let line = Number(first); line <= end; line++) add(found.get(name) ?? null, line, Number(hits))
  }
  return true
}

const readCobertura: Reader = (text, { find }, add) => {
  const start = text.search(/<coverage[\s>]/)
  if (start === -1) return false
  if (/<!ENTITY|<!DOCTYPE[^<>[]*\[/i.test(text.slice(0, start))) throw new Error('it declares entities')
  let path: string | null = null
  readXml(text.slice(start), {
    open(name, attributes) {
      if (name === 'class') path = find(attributes.get('filename') ?? '')
      else if (name === 'line') add(path, Number(attributes.get('number')), Number(attributes.get('hits')))
    },
    close(name) {
      if (name === 'class') path = null
    },
  })
  return true
}

/** One value of JSON takes as long as this many lines, and far more memory than it has characters. */
const VALUE = 8

/** Before they are read: reading has no limit of its own. */
function countValues(text: string): number {
  let values = 0
  for (let at = 0; at < text.length; at++) if (BEFORE_VALUE.includes(text.charCodeAt(at))) values++
  return values
}

const BEFORE_VALUE = [...',[{'].map((one) => one.charCodeAt(0))

const readJson: Reader = (text, files, add) => {
  if (!/^\s*\{/.test(text)) return false
  spend(files, VALUE * countValues(text))
  const report = JSON.parse(text) as Record<string, unknown>
  if (Array.isArray(report.result)) return readV8(report.result, files, add)
  const entries = Object.entries(report).filter(
    ([, one]) => isObject(one) && isObject(one.statementMap) && isObject(one.s),
  )
  for (const [name, one] of entries as Array<[string, { statementMap: object; s: Record<string, unknown> }]>) {
    const path = files.find(name)
    if (path === null) continue
    for (const [id, at] of Object.entries(one.statementMap)) {
      const start = isObject(at) && isObject(at.start) ? at.start.line : null
      add(path, Number(start), Number(one.s[id]))
    }
  }
  return entries.length > 0 || Object.keys(report).length === 0
}

/** Nothing in them runs. Of lines without the spaces around them: patterns with several runs of these take time without end. */
const IDLE = /^(?:\/\/.*|\/?\*.*|[{}()[\];,]*)$/

/** As many characters are marked in the time of one line. */
const FILLED = 1_024
/** A row of the text is looked at more closely than one of a report. */
const ROW = 4

function readV8(scripts: readonly unknown[], files: CoverageFiles, add: Parameters<Reader>[2]): boolean {
  const { find, textOf } = files
  for (const script of scripts) {
    if (!isObject(script) || typeof script.url !== 'string' || !Array.isArray(script.functions)) continue
    const path = find(plainUrl(script.url))
    const text = path === null ? null : textOf(path)
    if (text === null) continue
    spend(files, text.length / CHARACTERS)
    const ran = new Uint8Array(text.length).fill(1)
    for (const { from, to, count } of rangesOf(script.functions)) {
      spend(files, 1 + (Math.min(to, text.length) - Math.min(from, text.length)) / FILLED)
      ran.fill(count > 0 ? 1 : 0, from, to)
    }
    let at = 0
    for (const [index, row] of text.split('\n').entries()) {
      spend(files, ROW)
      const first = at + (/^\s*/.exec(row)?.[0].length ?? 0)
      if (!IDLE.test(row.trim())) add(path, index + 1, ran.subarray(first, at + row.length).includes(1) ? 1 : 0)
      at += row.length + 1
    }
  }
  return true
}

const MOST_RANGES = 100_000

/** The outer ones first: an inner one knows better. */
function rangesOf(functions: readonly unknown[]): Array<{ from: number; to: number; count: number }> {
  const ranges = functions.flatMap((one) => (isObject(one) && Array.isArray(one.ranges) ? one.ranges : []))
  if (ranges.length > MOST_RANGES) throw new Error(`it has more than ${MOST_RANGES} ranges for one file`)
  return ranges
    .map((range) => ({ from: Number(range?.startOffset), to: Number(range?.endOffset), count: Number(range?.count) }))
    .filter(({ from, to }) => from >= 0 && to > from)
    .sort((one, other) => one.from - other.from || other.to - one.to)
}

function plainUrl(url: string): string {
  if (!url.startsWith('file://')) return url
  try {
    return decodeURIComponent(url.slice('file://'.length))
  } catch {
    return ''
  }
}
