// The values in the record of a session: their types, how each is read from text and written, and what is believed of what was read.
import { type Blocker, parseBlocker, writeBlocker } from './blocker.ts'
import type { PullFacts } from './pull.ts'
import type { RuntimeHandle } from './session.ts'
import { isSessionStatus, type SessionStatus } from './status.ts'

/** What can become a session without having been started by ao. */
export const ADOPTED_KINDS = ['checkout', 'branch', 'terminal', 'conversation'] as const
export type AdoptedKind = (typeof ADOPTED_KINDS)[number]
/** The plugin of a worktree that was there before its session: ao never removes it. */
export const ADOPTED_WORKSPACE = 'existing'

export type Role = 'worker' | 'orchestrator' | 'reviewer'

/** A mark on a card: another live branch that changes the same files. */
export interface MeetingMark {
  /** A session's id, or `#3`. */
  with: string
  path: string
  /** How many files in all. */
  files: number
  conflict: boolean
  /** git merges them, and this test or check fails with both although it passes with each. */
  fails?: string | undefined
}

/** What of its own checks the work touches. */
export interface ChangedChecks {
  /** The head that this is about. */
  head: string
  /** The branch that it was for. */
  base?: string | undefined
  paths: string[]
  /** Absent: an older version did not measure it. */
  size?: { files: number; lines: number; sensitive: string[]; reverts: number | null } | undefined
}

/** What is needed to finish an operation or roll it back. */
export interface OperationData {
  /** The status before. */
  previous?: SessionStatus | undefined
  /** Who requested it. */
  by?: string | undefined
  /** kill */
  keepWorkspace?: boolean | undefined
  force?: boolean | undefined
  pause?: boolean | undefined
  endAs?: 'done' | undefined
  /** spawn */
  branchIsNew?: boolean | undefined
  /** restore */
  fromArchive?: boolean | undefined
  spawnId?: string | undefined
  place?: string | undefined
  agent?: string | undefined
  account?: string | undefined
  /** rewind */
  turn?: number | undefined
  conversation?: 'back' | undefined
}

/** Its agent is stopped where it is, and nothing but the end of the reason lets it go on. */
export interface AgentStop {
  /** Written before the act: whoever finds `stopping` or `continuing` finishes that. */
  state: 'stopping' | 'stopped' | 'continuing'
  /** ISO 8601. */
  at: string
  why: string
  spawnId: string
  /** Its terminal lets nobody be stopped, so its turn was ended, and it is asked to continue. */
  interrupted?: boolean | undefined
}

export interface Codec<T> {
  /** undefined: not a value of this key. Then the key counts as absent and stays as it is. */
  read(text: string): T | undefined
  write(value: T): string
}

export const text: Codec<string> = { read: (value) => value || undefined, write: (value) => value }
/** Written from inside a session, shown as a link and passed to programs: nothing but an address is one. */
export const address: Codec<string> = {
  read: (value) => (isAddress(value) ? value : undefined),
  write: (value) => value,
}
export const addresses: Codec<string[]> = {
  read: (value) => value.split(' ').filter(isAddress),
  write: (list) => list.join(' '),
}
/** It becomes an argument of the agent's program. */
export const agentId: Codec<string> = {
  read: (value) => (/^[A-Za-z0-9][\w.-]{0,199}$/.test(value) ? value : undefined),
  write: (value) => value,
}
export const branch: Codec<string> = {
  read: (value) => (isBranchName(value) ? value : undefined),
  write: (value) => value,
}
export const count: Codec<number> = { read: readNumber, write: String }
export const time: Codec<Date> = { read: readDate, write: (date) => date.toISOString() }
export const list: Codec<string[]> = {
  read: (value) => value.split(' ').filter((word) => word !== ''),
  write: (list) => list.join(' '),
}
export const blockers: Codec<Blocker[]> = {
  read: (value) => list.read(value)?.flatMap((word) => parseBlocker(word) ?? []),
  write: (of) => of.map(writeBlocker).join(' '),
}
export const json = <T>(check: (value: unknown) => value is T): Codec<T> => ({
  read: (value) => readJson(value, check),
  write: jsonValue,
})
/** A value that is not one of its key counts as absent; all of them are text in the file, `true` and `false` too. */
export const operationData: Codec<OperationData> = {
  read(value) {
    const fields = readJson(value, isFields)
    return fields && withoutUndefined(OPERATION_FIELDS, (read, name) => read(fields[name]))
  },
  write: (data) => jsonValue(withoutUndefined(data, (value) => (value === undefined ? undefined : String(value)))),
}
export const oneOf = <T extends string>(...choices: readonly T[]): Codec<T> => ({
  read: (value) => choices.find((word) => word === value),
  write: (value) => value,
})
/** JSON as a value: without a `%`, so that the file contains the JSON verbatim. */
export function jsonValue(value: unknown): string {
  return JSON.stringify(value).replaceAll('%', '\\u0025')
}

/** A plugin's forge may have a scheme of its own. */
function isAddress(value: string): boolean {
  return /^(?!javascript|vbscript|data|file)[a-z][a-z0-9+.-]*:\/\/[^\s/]+\/\S*$/i.test(value)
}

/** As git has it: never an option, nothing that a shell or git itself would expand. */
function isBranchName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses them too
  if (name === '' || /^[-./]|[/.]$|\.lock$|\.\.|\/\/|\/\.|@\{|[\x00-\x20\x7f~^:?*[\\]/.test(name)) return false
  return name !== '@' && name !== 'HEAD'
}

function readNumber(value: string): number | undefined {
  const number = Number(value)
  return value.trim() === '' || !Number.isFinite(number) ? undefined : number
}

function readDate(value: string): Date | undefined {
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? undefined : date
}

function readJson<T>(value: string, check: (value: unknown) => value is T): T | undefined {
  try {
    const parsed: unknown = JSON.parse(value)
    return check(parsed) ? parsed : undefined
  } catch {
    // Edited by hand: it counts as absent.
    return undefined
  }
}

/** Our own JSON, or the bare tmux name of older files and scripts. A handle is never inferred from anything else. */
export function readHandle(value: string): RuntimeHandle | undefined {
  if (value === '') return undefined
  if (!value.startsWith('{')) return { id: value, runtimeName: 'tmux' }
  const handle = readJson(value, isHandle)
  if (!handle) return undefined
  const { id, runtimeName, data } = handle
  return { id, runtimeName, data: typeof data === 'object' && data !== null ? data : undefined }
}

function isHandle(value: unknown): value is RuntimeHandle {
  const { id, runtimeName } = (value ?? {}) as Partial<RuntimeHandle>
  return typeof id === 'string' && typeof runtimeName === 'string'
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

const OPERATION_FIELDS: { [Name in keyof OperationData]-?: (value: unknown) => OperationData[Name] } = {
  previous: (value) => (typeof value === 'string' && isSessionStatus(value) ? value : undefined),
  by: readText,
  keepWorkspace: readFlag,
  force: readFlag,
  pause: readFlag,
  endAs: (value) => (value === 'done' ? value : undefined),
  branchIsNew: readFlag,
  fromArchive: readFlag,
  spawnId: readText,
  place: readText,
  agent: readText,
  account: readText,
  turn: (value) => (typeof value === 'string' ? readNumber(value) : undefined),
  conversation: (value) => (value === 'back' ? value : undefined),
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function readFlag(value: unknown): boolean | undefined {
  return value === 'true' ? true : value === 'false' ? false : undefined
}

function withoutUndefined<T extends object>(
  fields: T,
  read: (field: NonNullable<T[keyof T]>, name: string) => unknown,
): OperationData {
  const entries = Object.entries(fields).map(([name, field]) => [name, read(field, name)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

export function isMarks(value: unknown): value is MeetingMark[] {
  return (
    Array.isArray(value) &&
    value.every((one) => typeof one?.with === 'string' && typeof one.path === 'string' && typeof one.files === 'number')
  )
}

export function isStop(value: unknown): value is AgentStop {
  const { state, at, why, spawnId } = (value ?? {}) as Partial<AgentStop>
  return (
    ['stopping', 'stopped', 'continuing'].includes(state!) && [at, why, spawnId].every((one) => typeof one === 'string')
  )
}

export function isChangedChecks(value: unknown): value is ChangedChecks {
  const { head, base = '', paths, size } = (value ?? {}) as Partial<ChangedChecks>
  const isSize = size === undefined || (isFields(size) && isTexts(size.sensitive))
  return typeof head === 'string' && typeof base === 'string' && isTexts(paths) && isSize
}

/** One value, so that facts about an earlier pull request can never be taken for those of a new one. */
export function isPrFacts(value: unknown): value is PullFacts {
  return isFields(value) && typeof value.url === 'string' && typeof value.state === 'string'
}

export function arePulls(value: unknown): value is PullFacts[] {
  return Array.isArray(value) && value.every(isPrFacts)
}

interface OnTheWay {
  messagesOnTheWay?: string[] | undefined
}

interface OnTheWayChange {
  messagesOnTheWay?: string[] | null
}

/** The record's list of messages on their way. */
export function messageIdsOf(record: OnTheWay): string[] {
  return record.messagesOnTheWay ?? []
}

export function withMessage(record: OnTheWay, messageId: string): OnTheWayChange {
  const ids = messageIdsOf(record)
  return ids.includes(messageId) ? {} : { messagesOnTheWay: [...ids, messageId] }
}

export function withoutMessages(record: OnTheWay, gone: readonly string[]): OnTheWayChange {
  const ids = messageIdsOf(record)
  const left = ids.filter((id) => !gone.includes(id))
  if (left.length === ids.length) return {}
  return { messagesOnTheWay: left.length === 0 ? null : left }
}

/** The first prompt of a start is the same message, however often it is searched for. */
export function firstMessageId(sessionId: string, { spawnId }: { spawnId?: string | undefined }): string {
  return `prompt-${spawnId ?? sessionId}`
}

export function isFirstMessage(messageId: string): boolean {
  return messageId.startsWith('prompt-')
}

interface Submitting {
  submittingMessage?: string | undefined
}

/** The record's value while Enter is about to be pressed. */
export function submittingMessage(messageId: string, at: Date): Required<Submitting> {
  return { submittingMessage: `${messageId} ${at.toISOString()}` }
}

/**
 * When Enter was about to be pressed for a message that is not handed over yet; with an id, for that one. null: there is none, or the
 * record is damaged.
 */
export function submittedAt({ submittingMessage }: Submitting, messageId?: string): Date | null {
  const [id, time] = submittingMessage?.split(' ') ?? []
  if (messageId !== undefined && id !== messageId) return null
  const at = new Date(time ?? Number.NaN)
  return Number.isNaN(at.getTime()) ? null : at
}
