// The record of a session: one table of every key, with its type, who writes it and what it means. Everything that reads or
// writes a record goes through it; docs/sessions.md and the shell helper's list of writable keys come from it. Keys that
// are not in the table survive every change.

import { isLimits, isSwitch } from './account.ts'
import { isAttachments } from './agh/attachment.ts'
import { type Blocker, isStackPosition, isTaskMark, parseBlocker, writeBlocker } from './blocker.ts'
import { NEED_KINDS, type NeedKind } from './dashboard/needs.ts'
import type { Operation } from './events.ts'
import { isReviewSubject, type PullFacts } from './pull.ts'
import type { RuntimeHandle } from './session.ts'
import { ACTIVITY_STATES, isSessionStatus, type SessionStatus, TERMINAL_STATUSES } from './status.ts'

/** `ao`: commands and the loop. `session`: also the wrappers and hooks inside the session. */
type Writer = 'ao' | 'session'

interface RecordKey<T> {
  writer: Writer
  meaning: string
  /** undefined: not a value of this key. Then the key counts as absent and stays as it is. */
  read(text: string): T | undefined
  write(value: T): string
}

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

type Codec<T> = Pick<RecordKey<T>, 'read' | 'write'>

const text: Codec<string> = { read: (value) => value || undefined, write: (value) => value }
/** Written from inside a session, shown as a link and passed to programs: nothing but an address is one. */
const address: Codec<string> = { read: (value) => (isAddress(value) ? value : undefined), write: (value) => value }
const addresses: Codec<string[]> = {
  read: (value) => value.split(' ').filter(isAddress),
  write: (list) => list.join(' '),
}
/** It becomes an argument of the agent's program. */
const agentId: Codec<string> = {
  read: (value) => (/^[A-Za-z0-9][\w.-]{0,199}$/.test(value) ? value : undefined),
  write: (value) => value,
}
const branch: Codec<string> = { read: (value) => (isBranchName(value) ? value : undefined), write: (value) => value }
const count: Codec<number> = { read: readNumber, write: String }
const time: Codec<Date> = { read: readDate, write: (date) => date.toISOString() }
const list: Codec<string[]> = {
  read: (value) => value.split(' ').filter((word) => word !== ''),
  write: (list) => list.join(' '),
}
const blockers: Codec<Blocker[]> = {
  read: (value) => list.read(value)?.flatMap((word) => parseBlocker(word) ?? []),
  write: (of) => of.map(writeBlocker).join(' '),
}
const json = <T>(check: (value: unknown) => value is T): Codec<T> => ({
  read: (value) => readJson(value, check),
  write: jsonValue,
})
/** A value that is not one of its key counts as absent; all of them are text in the file, `true` and `false` too. */
const operationData: Codec<OperationData> = {
  read(value) {
    const fields = readJson(value, isFields)
    return fields && withoutUndefined(OPERATION_FIELDS, (read, name) => read(fields[name]))
  },
  write: (data) => jsonValue(withoutUndefined(data, (value) => (value === undefined ? undefined : String(value)))),
}
const oneOf = <T extends string>(...choices: readonly T[]): Codec<T> => ({
  read: (value) => choices.find((word) => word === value),
  write: (value) => value,
})
const key = <T>(codec: Codec<T>, writer: Writer, meaning: string): RecordKey<T> => ({ ...codec, writer, meaning })

export const RECORD_TABLE = {
  project: key(text, 'ao', 'Id of its project'),
  status: key(
    { read: (word) => (isSessionStatus(word) ? word : undefined), write: (word: SessionStatus) => word },
    'session',
    'What the facts beside it amount to, for `grep`; the store derives it with every change of a fact',
  ),
  launched: key(oneOf('yes'), 'ao', '`yes` once its agent was started'),
  endedAs: key(
    oneOf<SessionStatus>(...TERMINAL_STATUSES),
    'ao',
    'How it ended: `merged`, `done`, `killed`, `terminated` or `errored`',
  ),
  mergeReported: key(
    oneOf('yes'),
    'session',
    '`yes`: `gh pr merge` succeeded inside the session. `merged` beside it counts once the forge has confirmed it',
  ),
  alarm: key(
    oneOf<'needs_input' | 'stuck'>('needs_input', 'stuck'),
    'session',
    'Why a person is needed: `needs_input` or `stuck`',
  ),
  statusSince: key(time, 'session', 'When the status became what it is'),
  statusBefore: key(
    { read: (word) => (isSessionStatus(word) ? word : undefined), write: (word: SessionStatus) => word },
    'session',
    'The status before one that was written from inside the session, until the history has it',
  ),
  role: key(
    oneOf<Role>('worker', 'orchestrator', 'reviewer'),
    'ao',
    '`worker`, `orchestrator` for the one that manages others, or `reviewer` for one that only reads',
  ),
  agent: key(text, 'ao', 'Agent plugin'),
  account: key(
    text,
    'ao',
    'Account of the configuration that its agent uses; absent: the one it is signed in to by itself',
  ),
  firstAgent: key(text, 'ao', 'Agent that it began with, before it was continued with another account'),
  switchTo: key(json(isSwitch), 'ao', 'The account that it is being continued with, and why, as JSON'),
  limits: key(json(isLimits), 'ao', 'Accounts that it cannot use now, until when and why, as JSON'),
  model: key(text, 'ao', 'Model that the agent said it uses'),
  runtime: key(text, 'ao', 'Runtime plugin, or the place'),
  place: key(text, 'ao', 'Place that it runs in; absent: this machine'),
  paused: key(time, 'ao', 'When it was paused with its place; absent: it is not'),
  stopped: key(json(isStop), 'ao', 'Why its agent is stopped where it is, as after a used-up budget, as JSON'),
  workspace: key(text, 'ao', 'Workspace plugin'),
  worktree: key(text, 'ao', 'Directory it works in'),
  branch: key(branch, 'session', 'Branch it works on'),
  baseBranch: key(
    branch,
    'ao',
    'Branch that its work is for; another one once the work that it stands on has landed. The session never takes it for its own',
  ),
  forge: key(
    text,
    'ao',
    'Host and repository of the pull requests that the session itself may name in `pr`; `ao`: none, because ao keeps them',
  ),
  wantedModel: key(text, 'ao', 'Model that its agent is started with instead of the configured one'),
  startMode: key(
    oneOf('plan'),
    'ao',
    '`plan`: its agent is started in its plan mode, and changes nothing before a person agrees',
  ),
  blockers: key(blockers, 'ao', 'Sessions, issues and pull requests that have to land before it starts'),
  waitsSince: key(time, 'ao', 'Since when it waits for them; absent: it was started'),
  heldBack: key(text, 'ao', 'Why it does not start by itself, although it waits'),
  stack: key(
    json(isStackPosition),
    'ao',
    'The session whose branch it stands on, the commit that its own work begins after, and how far a restack is, as JSON',
  ),
  reviews: key(json(isReviewSubject), 'ao', 'Pull request and commit that it reviews, as JSON'),
  schedule: key(text, 'ao', 'Schedule that started it, and the time it was due'),
  task: key(json(isTaskMark), 'ao', 'Its part in a task of several sessions, as JSON'),
  forkedFrom: key(text, 'ao', 'Session whose work, and conversation where that is possible, it began with'),
  forkConversation: key(
    oneOf('copied', 'new'),
    'ao',
    'Whether it began with a copy of that conversation; absent: it was not started yet',
  ),
  adopted: key(
    oneOf(...ADOPTED_KINDS),
    'ao',
    'What ao did not start and `ao adopt` took over: `checkout`, `branch`, `terminal` or `conversation`',
  ),
  conversation: key(agentId, 'ao', "The agent's own id of the conversation that it was adopted with"),
  issue: key(text, 'ao', 'Id of its issue'),
  issueTitle: key(text, 'ao', 'Title of the issue when the session began'),
  issueLabels: key(json(isTexts), 'ao', 'Labels of the issue when the session began, as JSON'),
  userPrompt: key(text, 'ao', 'What the user asked for'),
  attachments: key(json(isAttachments), 'ao', 'Files that go along with its prompt, as JSON; the prompt names them'),
  createdAt: key(time, 'ao', 'When it was spawned. Never changes'),
  restoredAt: key(time, 'ao', 'When it was last restored'),
  launch: key(count, 'ao', 'How often its agent was started'),
  spawnId: key(text, 'ao', 'Marks the processes of the current launch'),
  tmuxName: key(text, 'ao', 'Its name at the runtime'),
  runtimeHandle: key(
    { read: readHandle, write: (handle: RuntimeHandle) => jsonValue(handle) },
    'ao',
    'How the runtime reaches the agent, as JSON; a bare tmux name in old records',
  ),
  promptDelivered: key(
    oneOf('no', 'held', 'unconfirmed', 'yes', 'resumed'),
    'ao',
    'Whether the agent has the first prompt: `no`, `held` until it takes it, handed over but `unconfirmed`, `yes`, or `resumed` after it',
  ),
  promptSender: key(text, 'ao', 'Process that is to hand over the first prompt: pid, start time and boot'),
  firstPort: key(count, 'ao', 'First of the ports that are its own'),
  dashboardPort: key(count, 'ao', 'Port of the dashboard when the session was started'),
  terminalWsPort: key(count, 'ao', 'Port of the terminal socket behind the dashboard'),
  directTerminalWsPort: key(count, 'ao', 'Port of the terminal socket for direct connections'),
  operation: key(
    oneOf<Operation>('spawn', 'kill', 'restore', 'cleanup', 'rewind'),
    'ao',
    'The command that works on it, or that died doing so',
  ),
  operationOwner: key(text, 'ao', 'Process of that command: pid, start time and boot'),
  operationData: key(operationData, 'ao', 'Data needed to finish the operation or roll it back, as JSON'),
  activity: key(oneOf(...ACTIVITY_STATES), 'ao', 'What the agent was doing when it was last observed'),
  lastActivityAt: key(time, 'ao', 'When the agent was last active'),
  lastMessageAt: key(time, 'ao', 'When it last got a message'),
  messagesOnTheWay: key(list, 'ao', 'Ids of messages that are held or being delivered'),
  inputLine: key(oneOf('may hold text'), 'ao', 'Text that was typed and not submitted may be in its input line'),
  submittingMessage: key(text, 'ao', 'Id of the message for which Enter is about to be pressed, and since when'),
  attendedAt: key(time, 'ao', 'When a person last stepped in: a message, a restore'),
  snoozedUntil: key(time, 'ao', 'Until when a person wants to hear nothing of what it needs'),
  snoozedNeed: key(
    oneOf<NeedKind>(...NEED_KINDS),
    'ao',
    'What they put off: `question`, `error`, `finished`, `review` or `merge`',
  ),
  summary: key(text, 'session', 'What the agent says it is doing'),
  pinnedSummary: key(text, 'session', 'A summary that stays, whatever the agent says'),
  opencodeSessionId: key(text, 'ao', "OpenCode's own session id"),
  usageTokens: key(count, 'ao', 'Tokens used so far'),
  usageCostUsd: key(count, 'ao', 'Their estimated cost'),
  usageAt: key(time, 'ao', 'When both were counted'),
  earlierTokens: key(
    count,
    'ao',
    'The part of them that earlier accounts used, which its present agent does not count',
  ),
  earlierCostUsd: key(count, 'ao', 'The estimated cost of that part'),
  usageModel: key(text, 'ao', 'The model that it used last'),
  budgetUsd: key(count, 'ao', 'What it may cost, in place of the budget in the configuration'),
  overBudget: key(text, 'ao', 'The limit that it has reached, in words'),
  pr: key(address, 'session', 'URL of its pull request; of several, the one that its status is about'),
  prs: key(addresses, 'session', 'URLs of all that it opened, the newest last; absent: at most that one'),
  otherPulls: key(
    json(arePulls),
    'ao',
    'The other ones, with the last word of the forge on each, oldest first, as JSON',
  ),
  prTitle: key(text, 'ao', 'Title of the pull request'),
  prFacts: key(json(isPrFacts), 'ao', 'The last word of the forge on that pull request, as JSON'),
  prState: key(oneOf('open', 'merged', 'closed'), 'ao', 'The same, for `grep`: its state'),
  prHead: key(text, 'ao', 'Its head commit'),
  ci: key(oneOf('passing', 'failing', 'pending', 'none'), 'ao', 'Its checks'),
  review: key(oneOf('approved', 'changes_requested', 'pending', 'none'), 'ao', 'Its review'),
  uncountedReviewers: key(list, 'ao', 'People outside the repository whose reviews were not counted'),
  prConflicts: key(oneOf('true', 'false', 'unknown'), 'ao', 'Whether it has conflicts'),
  meets: key(json(isMarks), 'ao', 'Other live branches that change the same files, the worst first, as JSON'),
  changedChecks: key(
    json(isChangedChecks),
    'ao',
    'Tests, CI configuration and files of gates that its pull request changes, and how large it is, as JSON',
  ),
  prAutoDetect: key(oneOf('on', 'off'), 'ao', '`off`: its branch does not lead to a pull request by itself'),
} as const

type Table = typeof RECORD_TABLE
export type RecordName = keyof Table
type ValueOf<K extends RecordName> = Table[K] extends { write(value: infer T): string } ? T : never

/** Only `readRecord` creates one: raw pairs of text must never be taken for it. */
declare const IS_READ: unique symbol

/** The content of a record. A key that is absent, empty or invalid is undefined. */
export type SessionRecord = { readonly [K in RecordName]?: ValueOf<K> | undefined } & { readonly [IS_READ]: true }

/**
 * New values; null deletes a key, undefined leaves it alone. `others` are keys that only a plugin knows. Never the status:
 * it follows from the facts, and the store writes it (`core/status/status-of-record.ts`).
 */
export type RecordChange = { readonly [K in Exclude<RecordName, 'status'>]?: ValueOf<K> | null | undefined } & {
  readonly status?: never
  readonly others?: Record<string, string> | undefined
}

const NAMES = Object.keys(RECORD_TABLE) as RecordName[]
const CHANGEABLE = NAMES.filter((name) => name !== 'status')

export function readRecord(pairs: Readonly<Record<string, string>>): SessionRecord {
  const record: Partial<Record<RecordName, unknown>> = {}
  // By what is there rather than by the table: lists read hundreds of records, each with a few of its keys.
  for (const [name, found] of Object.entries(pairs)) {
    if (Object.hasOwn(RECORD_TABLE, name)) record[name as RecordName] = RECORD_TABLE[name as RecordName].read(found)
  }
  // A claim from inside the session: until the forge has confirmed it, the work is where it was.
  if (record.status === 'merged' && record.mergeReported && !isMerged(record as unknown as SessionRecord)) {
    record.status = record.pr === undefined ? 'working' : 'pr_open'
  }
  return record as unknown as SessionRecord
}

/** By the word of ao or of the forge. */
function isMerged({ endedAs, pr, prFacts, otherPulls = [] }: SessionRecord): boolean {
  if (otherPulls.some(({ state }) => state === 'open')) return false
  return endedAs === 'merged' || (prFacts?.url === pr && prFacts?.state === 'merged')
}

export const EMPTY_RECORD: SessionRecord = readRecord({})

/** As pairs of text; null deletes a key. */
export function writeRecord({ others, ...fields }: RecordChange): Record<string, string | null> {
  const { status: _derived, ...pairs }: Record<string, string | null> = { ...others }
  for (const name of CHANGEABLE) {
    const value = fields[name]
    if (value !== undefined) pairs[name] = value === null ? null : write(name, value)
  }
  return pairs
}

function write(name: RecordName, value: unknown): string {
  return (RECORD_TABLE[name] as unknown as RecordKey<unknown>).write(value)
}

const records = new WeakMap<object, SessionRecord>()

/** The record of a session. Parsed once for each object of pairs, which is immutable once read. */
export function recordOf({ metadata }: { metadata: Record<string, string> }): SessionRecord {
  const cached = records.get(metadata)
  if (cached) return cached
  const record = readRecord(metadata)
  records.set(metadata, record)
  return record
}

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
function readHandle(value: string): RuntimeHandle | undefined {
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

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function isMarks(value: unknown): value is MeetingMark[] {
  return (
    Array.isArray(value) &&
    value.every((one) => typeof one?.with === 'string' && typeof one.path === 'string' && typeof one.files === 'number')
  )
}

function isStop(value: unknown): value is AgentStop {
  const { state, at, why, spawnId } = (value ?? {}) as Partial<AgentStop>
  return (
    ['stopping', 'stopped', 'continuing'].includes(state!) && [at, why, spawnId].every((one) => typeof one === 'string')
  )
}

function isChangedChecks(value: unknown): value is ChangedChecks {
  const { head, base = '', paths, size } = (value ?? {}) as Partial<ChangedChecks>
  const isSize = size === undefined || (isFields(size) && isTexts(size.sensitive))
  return typeof head === 'string' && typeof base === 'string' && isTexts(paths) && isSize
}

/** One value, so that facts about an earlier pull request can never be taken for those of a new one. */
function isPrFacts(value: unknown): value is PullFacts {
  return isFields(value) && typeof value.url === 'string' && typeof value.state === 'string'
}

function arePulls(value: unknown): value is PullFacts[] {
  return Array.isArray(value) && value.every(isPrFacts)
}
