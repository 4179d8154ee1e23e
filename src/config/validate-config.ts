// Validates plain data against the schema: all problems at once, each worded for the person who wrote the file.
import type * as z from 'zod/mini'
import { agentConfigKeys } from '../contract/config/agent-keys.ts'
import { configSchema } from '../contract/config/schema.ts'
import type { ConfigFile } from '../contract/config.ts'
import type { KeyPath } from '../core/config/key-path.ts'
import { nearestWord } from '../core/text/nearest-word.ts'
import type { ConfigProblem } from './config-problems.ts'

type Issue = z.core.$ZodIssue

export function validateConfig(value: unknown): { file: ConfigFile } | { problems: ConfigProblem[] } {
  const result = configSchema.safeParse(value)
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
function ownMessage(issue: Issue): string | null {
  return issue.message === 'Invalid input' ? null : issue.message
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
