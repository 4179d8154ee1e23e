// Changes single keys in the text of a configuration. Comments, order and every line that has nothing to do with the change
// stay as they are, to the letter. Pure.
import { isDeepStrictEqual } from 'node:util'
import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type ParsedNode } from 'yaml'
import { AoError } from '../../contract/errors.ts'
import { type Content, formatKey, type KeyPath } from '../../core/config/key-path.ts'
import { withChange } from '../../core/config/with-change.ts'
import { changesOf } from '../../core/text/diff-lines.ts'
import { parseYaml, readDocument } from '../validate-config.ts'

/** Without `value` the key is removed. */
export interface ConfigChange {
  path: KeyPath
  value?: unknown
}

/** Throws CONFIG_INVALID when the text or a change does not allow it. */
export function editText(file: string, text: string, changes: readonly ConfigChange[]): string {
  const before = (parseYaml(file, text).value ?? {}) as Content
  const wanted = changes.reduce((content, change) => {
    const changed = withChange(content, change)
    if (changed === null) throw refuse(file, change.path, 'is behind the end of its list')
    return changed
  }, before)
  const document = readDocument(text)
  for (const change of changes) apply(file, document, change)
  const style = styleOf(text)
  const written = document.toString(style)
  const results = [keepLines(text, readDocument(text).toString(style), written), written]
  // Whatever YAML can do to a text: what is written says what was asked for, or nothing is written.
  const result = results.find((one) => one !== null && isDeepStrictEqual(contentOf(file, one), wanted))
  if (result == null) throw refuse(file, changes[0]?.path ?? [], 'cannot be changed by itself here; edit the file')
  return result
}

function contentOf(file: string, text: string): unknown {
  try {
    return parseYaml(file, text).value ?? {}
  } catch (error) {
    // A text that cannot be read is not the result.
    if (error instanceof AoError) return null
    throw error
  }
}

const SHARED = 'is shared with another part of the file; edit it there'

function apply(file: string, document: Document<Node> | Document.Parsed, { path, value }: ConfigChange): void {
  if (value === undefined) return void remove(document, path)
  if (document.contents === null) document.contents = document.createNode({}) as unknown as ParsedNode
  let node: unknown = document.contents
  for (const [index, part] of path.slice(0, -1).entries()) {
    if (isAlias(node)) throw refuse(file, path.slice(0, index), SHARED)
    const inner = childOf(node, part)
    if (inner === undefined) break
    // `reactions:` with nothing below it.
    if (isScalar(inner) && inner.value === null) {
      document.setIn(path.slice(0, index + 1), document.createNode({}))
      break
    }
    if (isScalar(inner))
      throw refuse(file, path.slice(0, index + 1), 'is one value, not a group of keys; remove it first')
    node = inner
  }
  if (isAlias(node)) throw refuse(file, path.slice(0, -1), SHARED)
  const isPlain = typeof value !== 'object' || value === null
  document.setIn(path, isPlain ? value : nodeOf(document, document.getIn(path, true), value))
}

/** Items of a list that stay keep their comments. */
function nodeOf(document: Document<Node> | Document.Parsed, existing: unknown, value: object): Node {
  const node = document.createNode(value)
  if (!isSeq(existing) || !isSeq(node)) return node
  const old = [...existing.items]
  const items = node.items.map((item) => {
    const index = old.findIndex((one) => isScalar(one) && isScalar(item) && one.value === item.value)
    return index === -1 ? item : old.splice(index, 1)[0]
  })
  existing.items = items
  return existing as Node
}

/** With what is empty after it. */
function remove(document: Document<Node> | Document.Parsed, path: KeyPath): void {
  if (!document.hasIn(path)) return
  document.deleteIn(path)
  for (let length = path.length - 1; length > 0; length--) {
    const parent = document.getIn(path.slice(0, length), true)
    const isEmpty = (isMap(parent) || isSeq(parent)) && parent.items.length === 0
    if (!isEmpty || (length === 1 && path[0] === 'projects')) return
    document.deleteIn(path.slice(0, length))
  }
}

function childOf(node: unknown, part: string | number): unknown {
  return isMap(node) || isSeq(node) ? node.get(part, true) : undefined
}

interface Style {
  lineWidth: 0
  indent: number
  indentSeq: boolean
  flowCollectionPadding: boolean
}

/** As the text is written itself. */
function styleOf(text: string): Style {
  const indent =
    /^[^\s#][^\n#]*(?=[#\n])(?<=:[ \t]*)(?:#[^\n]*)?\n(?:[ \t]*(?:#[^\n]*)?\n)*( +)[^\s#-]/m.exec(text)?.[1]?.length ??
    2
  return {
    lineWidth: 0,
    indent: Math.min(8, indent),
    indentSeq: !/^( *)[^\s#-][^\n#]*(?=[#\n])(?<=:[ \t]*)(?:#[^\n]*)?\n\1- /m.test(text),
    flowCollectionPadding: !/[{[][^\s}\]]/.test(text) || /[{[] \S/.test(text),
  }
}

/**
 * What was changed between two texts of the same making, carried over to the text of a person. null: it cannot be said which
 * of its lines these are.
 */
function keepLines(text: string, made: string, changed: string): string | null {
  const [own, from, to] = [text, made, changed].map((one) => one.split('\n')) as [string[], string[], string[]]
  const positions = positionsOf(from, own)
  const result: string[] = []
  let taken = 0
  for (const { from: start, to: end, lines } of changesOf(from, to)) {
    const first = start === 0 ? 0 : positions[start - 1]! + 1
    const last = end === from.length ? own.length : positions[end]!
    if (Number.isNaN(first) || Number.isNaN(last) || first < taken || last < first) return null
    result.push(...own.slice(taken, first), ...lines)
    taken = last
  }
  return [...result, ...own.slice(taken)].join('\n')
}

/** Where each line of `from` is in `own`, whatever the spaces within it. NaN: nowhere. */
function positionsOf(from: readonly string[], own: readonly string[]): number[] {
  const bare = (lines: readonly string[]) => lines.map((line) => line.replaceAll(/\s+/g, ''))
  const positions: number[] = []
  let position = 0
  for (const { from: start, to, lines } of changesOf(bare(from), bare(own))) {
    while (positions.length < start) positions.push(position++)
    while (positions.length < to) positions.push(Number.NaN)
    position += lines.length
  }
  while (positions.length < from.length) positions.push(position++)
  return positions
}

function refuse(file: string, path: KeyPath, message: string): AoError {
  const key = formatKey(path)
  return new AoError('CONFIG_INVALID', `${key || 'The file'} ${message}`, {
    hint: `Edit it by hand: ${file}`,
    details: { file, problems: [{ key, message }], total: 1 },
  })
}
