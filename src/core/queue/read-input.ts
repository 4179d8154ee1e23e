// What a tool call would do, read from its input: the agent's title and kind are only its own words. Pure.

import type { PermissionInput } from '../../contract/agh/permission-input.ts'
import type { FileDiff } from '../../contract/agh/transcript.ts'
import { diffsOf } from '../agh/transcript/read-content.ts'
import { quoteForShell } from '../text/command-line.ts'
import { isObject } from '../text/json-fields.ts'
import { isGitsOwn } from '../text/match-path.ts'

/** Part of every response about the session while the question is open. */
const MAX_TEXT = 16 * 1024
/** A title may add a verb or a tool's name. */
const MAX_AROUND = 24

const COMMANDS = ['command', 'cmd', 'script']
const URLS = ['url', 'uri', 'href']
const PATHS = ['file_path', 'filePath', 'filepath', 'path', 'absolute_path', 'abs_path', 'notebook_path']
/** Numbers that agents give their own calls: these names alone. Anything else that ends in `id` is an argument. */
const OWN_NUMBER = /^(?:(?:tool_?)?call_?id|tool_?use_?id|turn_?id|request_?id|started_at_ms)$/i
const NUMBER = /^[\w-]{0,80}$/

export interface ReadInput {
  input?: PermissionInput
  /** Too long to be carried whole. */
  input_cut?: true
}

/** Stored data may be damaged. */
export function titleOf({ title }: { title: unknown }): string {
  return typeof title === 'string' ? title : ''
}

/** Empty: the agent did not say. */
export function readInput(title: string, toolCall: unknown): ReadInput {
  const call = isObject(toolCall) ? toolCall : {}
  const raw = call.rawInput
  if (raw === undefined || raw === null || (isObject(raw) && Object.keys(raw).length === 0)) return {}
  const diffs = diffsOf(Array.isArray(call.content) ? call.content : [])
  return bounded(describe(title, raw, diffs))
}

function describe(title: string, raw: unknown, diffs: readonly FileDiff[]): PermissionInput {
  if (!isObject(raw)) return { kind: 'arguments', text: typeof raw === 'string' ? raw : toJson(raw) }
  const command = commandIn(raw)
  if (command)
    return { kind: 'command', text: command.text, ...marked(title, command.texts), ...rest(raw, command.keys, diffs) }
  for (const [kind, keys] of [
    ['url', URLS],
    ['path', PATHS],
  ] as const) {
    const key = keys.find((one) => typeof raw[one] === 'string' && raw[one] !== '')
    if (key === undefined) continue
    const text = raw[key] as string
    const names = kind === 'path' ? [text, text.slice(text.lastIndexOf('/') + 1)] : [text]
    return { kind, text, ...marked(title, names), ...rest(raw, [key], diffs) }
  }
  return { kind: 'arguments', text: toJson(raw) }
}

interface Command {
  text: string
  /** As a title may have it. */
  texts: string[]
  keys: string[]
}

function commandIn(raw: Record<string, unknown>): Command | null {
  const key = COMMANDS.find((one) => isArgv(raw[one]))
  if (key === undefined) return null
  const value = raw[key]
  if (Array.isArray(value)) {
    const argv = value as string[]
    return { text: commandText(argv), texts: [argv.join(' '), argv.at(-1)!], keys: [key] }
  }
  const args = Array.isArray(raw.args) && raw.args.every((one) => typeof one === 'string') ? (raw.args as string[]) : []
  const text = [value as string, ...args.map(quoted)].join(' ')
  return { text, texts: [text, [value, ...args].join(' ')], keys: args.length > 0 ? [key, 'args'] : [key] }
}

function isArgv(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((one) => typeof one === 'string')
  return typeof value === 'string' && value !== ''
}

/** Words as one line of a shell, which has the same words. */
export function commandText(argv: readonly string[]): string {
  return argv.map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoteForShell(word)
}

/** The rest of what it would be called with: an environment or a directory decides as much as the command does. */
function rest(raw: Record<string, unknown>, shown: readonly string[], diffs: readonly FileDiff[]): { rest?: string } {
  const isShown = (value: unknown) =>
    typeof value === 'string' && diffs.some(({ old_text, new_text }) => value === new_text || value === old_text)
  const left = Object.entries(raw).filter(([key, value]) => {
    return !shown.includes(key) && !isOwnNumber(key, value) && !isShown(value)
  })
  return left.length === 0 ? {} : { rest: toJson(Object.fromEntries(left)) }
}

function isOwnNumber(key: string, value: unknown): boolean {
  return OWN_NUMBER.test(key) && (typeof value === 'number' || (typeof value === 'string' && NUMBER.test(value)))
}

function marked(title: string, texts: readonly string[]): { differs?: true } {
  const normalized = normal(title)
  const fits = texts
    .map(normal)
    .some((text) => normalized.includes(text) && normalized.length - text.length <= MAX_AROUND)
  return fits ? {} : { differs: true }
}

function normal(text: string): string {
  return text.replaceAll('`', '').replaceAll(/\s+/g, ' ').trim()
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? String(value)
}

function bounded(input: PermissionInput): ReadInput {
  const { text, rest } = input
  const isCut = text.length > MAX_TEXT || (rest?.length ?? 0) > MAX_TEXT
  if (!isCut) return { input }
  return {
    input: { ...input, text: text.slice(0, MAX_TEXT), ...(rest !== undefined && { rest: rest.slice(0, MAX_TEXT) }) },
    input_cut: true,
  }
}

const READS = /^(?:pattern|query|regex|glob|include|exclude|type|output_mode|description|case_sensitive|recursive)$/
const SEARCHES = /^(?:pattern|query|regex|glob)$/
const EDITS =
  /^(?:contents?|(?:old|new)_?(?:string|text|str|content|lines?)|diff|patch|edits|replace_all|replaceAll|changes|description|instructions?)$/i
const NUMBERS = /^(?:offset|limit|lines?|line_number|start_?line|end_?line|head_limit|depth|-[ABCin])$/i
const PATH_LISTS = /^(?:paths|files|file_paths|locations)$/

/**
 * Whether a call only reads, or only edits, files that `isInside` accepts. Anything that is not recognized is not: the agent's own
 * word for what it does is no proof.
 */
export function onlyTouches(what: 'read' | 'edit', toolCall: unknown, isInside: (path: string) => boolean): boolean {
  const call = isObject(toolCall) ? toolCall : {}
  const raw = call.rawInput
  if (!isObject(raw)) return false
  const pattern = what === 'read' ? READS : EDITS
  const paths: unknown[] = []
  for (const [key, value] of Object.entries(raw)) {
    if (PATHS.includes(key)) paths.push(value)
    else if (PATH_LISTS.test(key) && Array.isArray(value)) paths.push(...value)
    else if (NUMBERS.test(key)) {
      if (!NUMBER.test(String(value))) return false
    } else if (isOwnNumber(key, value)) continue
    else if (!pattern.test(key) || (what === 'read' && !isPattern(value))) return false
  }
  const named = [call.locations, call.content].flatMap((list) =>
    Array.isArray(list) ? list.filter(isObject).flatMap(({ path }) => (path === undefined ? [] : [path])) : [],
  )
  const isSearch = what === 'read' && Object.keys(raw).some((key) => SEARCHES.test(key))
  if (paths.length === 0 && !isSearch) return false
  const mayTouch = (path: string) => isInside(path) && (what === 'read' || !isGitsOwn(path))
  return [...paths, ...named].every((path) => typeof path === 'string' && !path.includes('://') && mayTouch(path))
}

/** Inside the workspace, and not by a link into git's own files. `real`: with links resolved; null: outside. */
export function isPlainPath(path: string, real: string | null): boolean {
  return real !== null && (isGitsOwn(path) || !isGitsOwn(real))
}

/** It cannot lead out of the workspace. */
function isPattern(value: unknown): boolean {
  if (typeof value !== 'string') return typeof value === 'boolean' || typeof value === 'number'
  return !/^\s*[/~]|\.\.|:\/\//.test(value)
}
