// The record of a session: one table of every key, with its type, who writes it and what it means. Everything that reads or
// writes a record goes through it; docs/records.md and the shell helper's list of writable keys come from it. Keys that
// are not in the table survive every change.

import { isLimits, isSwitch } from './account.ts'
import { isAttachments } from './agh/attachment.ts'
import { isStackPosition, isTaskMark } from './blocker.ts'
import { NEED_KINDS, type NeedKind } from './dashboard/needs.ts'
import type { Operation } from './events.ts'
import { isReviewSubject } from './pull.ts'
import {
  ADOPTED_KINDS,
  address,
  addresses,
  agentId,
  arePulls,
  blockers,
  branch,
  type Codec,
  count,
  isChangedChecks,
  isMarks,
  isPrFacts,
  isStop,
  isTexts,
  json,
  jsonValue,
  list,
  oneOf,
  operationData,
  type Role,
  readHandle,
  text,
  time,
} from './record-values.ts'
import type { RuntimeHandle } from './session.ts'
import { ACTIVITY_STATES, isSessionStatus, type SessionStatus, TERMINAL_STATUSES } from './status.ts'

/** `ao`: commands and the loop. `session`: also the wrappers and hooks inside the session. */
type Writer = 'ao' | 'session'

interface RecordKey<T> extends Codec<T> {
  writer: Writer
  meaning: string
}

const key = <T>(codec: Codec<T>, writer: Writer, meaning: string): RecordKey<T> => ({ ...codec, writer, meaning })

export const RECORD_TABLE = {
  version: key(count, 'ao', 'Version of the format; absent: 1. A newer one is shown and not changed'),
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
  conversationTo: key(count, 'ao', 'Turn before which its next start begins its conversation, or that of `forkedFrom`'),
  returner: key(
    text,
    'ao',
    'Process that ends its agent only to start it again where its conversation goes back to: pid, start time and boot',
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

/** Would these pairs be other ones? By what is there: a tick asks this of thousands of sessions. */
export function changesPairs(
  pairs: Readonly<Record<string, string>>,
  { others = {}, ...fields }: RecordChange,
): boolean {
  const differs = (name: string, value: string | null) => (pairs[name] ?? null) !== value
  for (const [name, value] of Object.entries(others)) if (differs(name, value)) return true
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    if (differs(name, value === null ? null : write(name as RecordName, value))) return true
  }
  return false
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
