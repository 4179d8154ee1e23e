// YAML text to plain data, with a way back from a key to its line. Nothing but plain data gets through.
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit, type YAMLMap } from 'yaml'
import { errorText } from '../contract/errors.ts'
import type { KeyPath } from '../core/config/key-path.ts'
import { type ConfigProblem, configInvalid, type Locate, type Position } from './config-problems.ts'

/** Nesting deeper than any real configuration is a mistake or an attack; an alias to its own parent is even endless. */
const DEEPEST = 32

export interface ParsedYaml {
  value: unknown
  locate: Locate
}

export function parseYaml(file: string, text: string): ParsedYaml {
  const counter = new LineCounter()
  const doc = guarded(file, () => readDocument(text, counter))
  const faults = [...doc.errors, ...doc.warnings].map((fault) => ({ message: fault.message, offset: fault.pos[0] }))
  if (faults.length === 0) faults.push(...guarded(file, () => findRepeatedKeys(doc)))
  if (faults.length > 0) {
    const problems = faults.map(
      ({ message, offset }): ConfigProblem => ({ path: [], message, at: positionAt(counter, offset) }),
    )
    throw configInvalid(file, problems, () => null)
  }
  const value = guarded(file, () => toPlainData(doc))
  return { value, locate: (path) => positionAt(counter, offsetOf(doc, path)) }
}

/** One value as YAML reads it: true, 3, [a, b]; what is not valid YAML is text, and so is `*.log`, an alias of nothing. */
export function parseValue(text: string): unknown {
  try {
    const document = readDocument(text)
    return document.errors.length > 0 ? text : toPlainData(document)
  } catch {
    // Too deep, too many aliases, or one of nothing: whether the text itself is valid there is checked with the file.
    return text
  }
}

/** The parser may give up: too deep for its stack, too many aliases. */
function guarded<T>(file: string, action: () => T): T {
  try {
    return action()
  } catch (error) {
    const why = error instanceof RangeError ? 'it is nested too deeply' : errorText(error)
    throw configInvalid(file, [{ path: [], message: `cannot be read as YAML: ${why}` }], () => null)
  }
}

/** The options that every reader and editor of these files shares. */
export function readDocument(text: string, lineCounter: LineCounter = new LineCounter()): Document.Parsed {
  return parseDocument(text, {
    lineCounter,
    prettyErrors: false,
    merge: true,
    stringKeys: true,
    // Its own check compares each key with every other: minutes for a hostile file. See findRepeatedKeys.
    uniqueKeys: false,
    // Whatever %YAML says: no dates, binaries or sets.
    schema: 'core',
    resolveKnownTags: false,
    logLevel: 'error',
  })
}

function findRepeatedKeys(doc: Document.Parsed): Array<{ message: string; offset: number }> {
  const repeated: Array<{ message: string; offset: number }> = []
  visit(doc, {
    Map(_, node: YAMLMap) {
      const seen = new Set<unknown>()
      for (const { key } of node.items) {
        if (!isScalar(key)) continue
        if (seen.has(key.value)) {
          repeated.push({ message: `the key ${key.value} is given twice`, offset: startOf(key) ?? 0 })
        }
        seen.add(key.value)
      }
    },
  })
  return repeated
}

function toPlainData(doc: Document.Parsed): unknown {
  const value: unknown = doc.toJS({ maxAliasCount: 100 })
  if (isTooDeep(value, DEEPEST)) throw new RangeError(`nested deeper than ${DEEPEST} levels`)
  return value
}

function isTooDeep(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return left === 0 || Object.values(value).some((inner) => isTooDeep(inner, left - 1))
}

/** Offset of the last part of the path that exists in the text. */
function offsetOf(doc: Document.Parsed, path: KeyPath): number {
  let node: unknown = doc.contents
  let offset = startOf(node) ?? 0
  for (const part of path) {
    if (isAlias(node)) node = node.resolve(doc)
    const found = childOf(node, part)
    if (found === null) break
    offset = startOf(found.named) ?? offset
    node = found.value
  }
  return offset
}

function childOf(node: unknown, part: string | number): { named: unknown; value: unknown } | null {
  if (isSeq(node)) {
    const item = node.items[Number(part)]
    return item === undefined ? null : { named: item, value: item }
  }
  if (!isMap(node)) return null
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part))
  return pair === undefined ? null : { named: pair.key, value: pair.value }
}

function startOf(node: unknown): number | undefined {
  return (node as { range?: [number, number, number] | null } | null)?.range?.[0]
}

function positionAt(counter: LineCounter, offset: number): Position {
  const { line, col } = counter.linePos(offset)
  return { line: Math.max(1, line), column: col }
}
