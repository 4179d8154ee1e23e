// The text of a configuration as data: parsed as YAML that hides nothing, and checked against the schema.

import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit, type YAMLMap } from 'yaml'
import type * as z from 'zod/mini'
import { agentConfigKeys } from '../contract/config/agent-keys.ts'
import { configSchema } from '../contract/config/schema.ts'
import type { ConfigFile } from '../contract/config.ts'
import { errorText } from '../contract/errors.ts'
import type { KeyPath } from '../core/config/key-path.ts'
import { nearestWord } from '../core/text/nearest-word.ts'
import { type ConfigProblem, configInvalid, type Locate, type Position } from './config-problems.ts'

type Issue = z.core.$ZodIssue

export function validateConfig(value: unknown): { file: ConfigFile } | { problems: ConfigProblem[] } {
  // A package that loads all of zod gives every schema of the process its words; these are ours.
  const result = configSchema.safeParse(value, { error: () => NO_MESSAGE })
  const problems = [
    ...(result.error?.issues ?? []).flatMap((issue) => describeIssue(issue, value)),
    ...findSlips(value),
    ...findPrototypes(value, []),
  ]
  return result.success && problems.length === 0 ? { file: result.data } : { problems }
}

function describeIssue(issue: Issue, value: unknown): ConfigProblem[] {
  const path = issue.path as KeyPath
  const given = valueAt(value, path)
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: 'unknown key',
        ...suggest(key, schemaKeysAt(configSchema, path)),
      }))
    case 'invalid_key':
      return issue.issues.map((inner) => ({ path, message: ownMessage(inner) ?? 'is not a valid key' }))
    case 'invalid_type':
      return [{ path, message: given === undefined ? 'is missing' : wrongType(issue.expected, given) }]
    case 'invalid_value':
      return [{ path, message: `must be one of ${issue.values.join(', ')}`, ...suggest(given, issue.values) }]
    case 'too_small':
      return [{ path, message: ownMessage(issue) ?? `must be ${issue.minimum} or more` }]
    case 'too_big':
      return [{ path, message: ownMessage(issue) ?? `must be ${issue.maximum} or less` }]
    default:
      return [{ path, message: ownMessage(issue) ?? 'is not valid' }]
  }
}

/** zod/mini has only this one message. */
const NO_MESSAGE = 'Invalid input'

function ownMessage(issue: Issue): string | null {
  return issue.message === NO_MESSAGE ? null : issue.message
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of keys',
  record: 'a group of keys',
}

function wrongType(expected: string, given: unknown): string {
  const must = `must be ${TYPE_NAMES[expected] ?? expected}`
  if (given === null) return `${must}, but nothing is there`
  if (typeof given === 'string' && given.includes('${')) return `${must}; variables work in texts only`
  if (expected === 'string' && typeof given !== 'object') return `${must}; put it in quotes`
  return must
}

function suggest(word: unknown, candidates: Iterable<unknown>): { suggestion?: string } {
  const names = [...candidates].filter((one) => typeof one === 'string')
  const suggestion = typeof word === 'string' ? nearestWord(word, names) : null
  return suggestion === null ? {} : { suggestion }
}

/** Where names are free, zod leaves this one out without a word: a project of that name would not exist. */
function findPrototypes(value: unknown, path: KeyPath): ConfigProblem[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = [...path, key]
    return key === '__proto__' ? [{ path: at, message: 'cannot be a name' }] : findPrototypes(inner, at)
  })
}

/** An agent may have options of its own, so its settings accept any key; one that is nearly a known key is a typo. */
function findSlips(value: unknown): ConfigProblem[] {
  const keys = Object.keys(agentConfigKeys)
  return agentConfigPaths(value).flatMap((path) =>
    Object.keys(objectAt(value, path))
      .filter((key) => !keys.includes(key))
      .flatMap((key) => {
        const suggestion = nearestWord(key, keys)
        return suggestion === null ? [] : [{ path: [...path, key], message: 'unknown key', suggestion }]
      }),
  )
}

function agentConfigPaths(value: unknown): KeyPath[] {
  const owners: KeyPath[] = [
    ['defaults'],
    ...['projects', 'accounts'].flatMap((group) => Object.keys(objectAt(value, [group])).map((id) => [group, id])),
  ]
  return owners.flatMap((owner) => [
    [...owner, 'agentConfig'],
    [...owner, 'worker', 'agentConfig'],
    [...owner, 'orchestrator', 'agentConfig'],
    [...owner, 'reviewer', 'agentConfig'],
  ])
}

function objectAt(value: unknown, path: KeyPath): object {
  const found = valueAt(value, path)
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? found : {}
}

function valueAt(value: unknown, path: KeyPath): unknown {
  let current = value
  for (const part of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, part)) return undefined
    current = (current as Record<string | number, unknown>)[part]
  }
  return current
}

/** The keys that the schema defines at this path. */
function schemaKeysAt(schema: z.core.$ZodType, path: KeyPath): string[] {
  const def = (schema as z.core.$ZodTypes)._zod.def
  switch (def.type) {
    case 'optional':
    case 'default':
      return schemaKeysAt(def.innerType, path)
    case 'object': {
      const [first, ...rest] = path
      if (first === undefined) return Object.keys(def.shape)
      const inner = def.shape[first]
      return inner === undefined ? [] : schemaKeysAt(inner, rest)
    }
    case 'record':
      return path.length === 0 ? allowedKeys(def.keyType) : schemaKeysAt(def.valueType, path.slice(1))
    case 'array':
      return schemaKeysAt(def.element, path.slice(1))
    default:
      return []
  }
}

function allowedKeys(schema: z.core.$ZodType): string[] {
  const def = (schema as z.core.$ZodTypes)._zod.def
  return def.type === 'enum' ? Object.keys(def.entries) : []
}

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
