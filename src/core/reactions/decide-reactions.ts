// Which reactions follow now. Pure: current conditions, past reactions, the rules and the time go in; decisions come out.
import type {
  Condition,
  MemoryKey,
  ReactionDecision,
  ReactionKey,
  ReactionMemory,
  ReactionRecord,
  ReactionRule,
  WorkProgress,
} from '../../contract/reactions.ts'
import { AGENT_KEYS, hasMoved } from './work-progress.ts'

export interface ReactionQuestion {
  /** The conditions that call for a reaction now. */
  conditions: Condition[]
  /** Keys whose conditions certainly no longer hold. Conditions that are merely not visible now are not included. */
  resolved: MemoryKey[]
  /** Keys whose occasion is over, though another may follow: pending reactions are dropped, the count stays. */
  calmed: MemoryKey[]
  /** Keys whose cause is gone without proof: pending reactions are dropped, and what was said of it stands. */
  lapsed?: MemoryKey[] | undefined
  memory: ReactionMemory
  progress: WorkProgress
  rules: Record<ReactionKey, ReactionRule>
  now: number
}

export interface ReactionAnswer {
  decisions: ReactionDecision[]
  /** To be stored before any decision is carried out. */
  memory: ReactionMemory
}

export function decideReactions(question: ReactionQuestion): ReactionAnswer {
  const memory: ReactionMemory = { ...question.memory }
  for (const key of question.resolved) delete memory[key]
  for (const key of question.calmed) if (memory[key]) memory[key] = drop(memory[key])
  for (const key of question.lapsed ?? []) if (memory[key]) memory[key] = { ...drop(memory[key]), lapsed: true }
  const decisions: ReactionDecision[] = []
  for (const condition of question.conditions) {
    const rule = { ...question.rules[condition.key], ...(condition.action && { action: condition.action }) }
    const { decision, record } = decideOne(condition, rule, memory[condition.memory], question)
    if (decision) decisions.push(decision)
    if (record) memory[condition.memory] = record
  }
  return { decisions, memory }
}

function drop({ waitingSince, ...record }: ReactionRecord): ReactionRecord {
  if (record.state === 'done' || record.state === 'dropped') return record
  const { escalating, failures, ...rest } = record
  return { ...rest, state: 'dropped', retryAt: 0 }
}

interface OneAnswer {
  decision: ReactionDecision | null
  record: ReactionRecord | null
}

const NOTHING: OneAnswer = { decision: null, record: null }

/** The current time, and the state of the work. */
type Moment = Pick<ReactionQuestion, 'now' | 'progress'>

function decideOne(
  condition: Condition,
  rule: ReactionRule,
  recorded: ReactionRecord | undefined,
  moment: Moment,
): OneAnswer {
  const { now } = moment
  // A rule that is not automatic still notifies the person; it never acts on the agent or the forge.
  if (!rule.auto && rule.action !== 'notify')
    return decideOne(condition, { ...rule, auto: true, action: 'notify' }, recorded, moment)
  const before = recall(recorded, condition, rule, now)
  if (!rule.auto) return before?.waitingSince === undefined ? NOTHING : { decision: null, record: drop(before) }
  const earlier = before?.fingerprint === condition.fingerprint && before.state !== 'dropped' ? before : undefined
  if (earlier?.state === 'done' && !isSwitchedOn(rule, earlier)) return escalateWhenDue(condition, rule, earlier, now)
  const since = condition.since ?? before?.waitingSince ?? now
  // A reaction that was begun is continued: its threshold has passed.
  if (!earlier && now - since < rule.thresholdMs) return condition.since === null ? waiting(before, since) : NOTHING
  // Intended but never confirmed: the process died in between. It is tried again, and the receipt distinguishes the two.
  if (earlier && earlier.state === 'failed' && now < earlier.retryAt) return NOTHING
  return act(condition, rule, before && recordFor(condition, rule, before, moment), moment)
}

/** Whoever heard of this very thing is not asked again. Anything after a lapse is a new occasion: one more attempt. */
function recall(
  record: ReactionRecord | undefined,
  { fingerprint }: Condition,
  { action }: ReactionRule,
  now: number,
): ReactionRecord | undefined {
  if (record === undefined) return undefined
  const isCurrent = record.fingerprint === fingerprint && record.state !== 'dropped'
  const reported = action === 'notify' ? record.told : (record.heard ?? record.told)
  if (reported === fingerprint) return isCurrent ? record : { ...record, fingerprint, state: 'done' }
  const { lapsed, ...rest } = record
  return lapsed ? { ...rest, state: 'dropped', firstAt: now, escalated: false } : record
}

/** Nothing was done yet; a later round, also after a restart, knows when it began. */
function waiting(before: ReactionRecord | undefined, since: number): OneAnswer {
  const record: ReactionRecord = before ?? {
    fingerprint: '',
    attempts: 0,
    firstAt: since,
    lastAt: since,
    state: 'dropped',
    retryAt: 0,
    escalated: false,
    told: '',
  }
  return { decision: null, record: { ...record, waitingSince: since } }
}

/** So far only a person was notified, because the rule was off; now it is carried out. */
function isSwitchedOn(rule: ReactionRule, record: ReactionRecord): boolean {
  if (rule.action === 'notify') return false
  // Records of earlier versions do not say: a merged pull request would no longer be waiting.
  return record.action === undefined ? rule.action === 'auto-merge' : record.action === 'notify'
}

type Continued = Pick<ReactionRecord, 'told'> & Partial<ReactionRecord>

/** Which part of the record counts for the next act: all of it, or only what was already sent. */
function recordFor(condition: Condition, rule: ReactionRule, before: ReactionRecord, { progress }: Moment): Continued {
  const notified = { told: before.told, heard: before.heard ?? before.told }
  if (before.state === 'done' && isSwitchedOn(rule, before)) return { told: before.told, heard: before.heard ?? '' }
  const isNew = before.fingerprint !== condition.fingerprint
  const hasProgress = AGENT_KEYS.includes(condition.key) && hasMoved(before.progress ?? {}, progress)
  return isNew && hasProgress ? notified : before
}

/** A new remark is news for the person who was notified before. */
const REMARK_KEYS: readonly ReactionKey[] = ['changes-requested', 'bugbot-comments']

function isNews({ key, fingerprint }: Condition, before: Continued | undefined): boolean {
  if (!REMARK_KEYS.includes(key) || (before?.fingerprint === fingerprint && before.state !== 'dropped')) return false
  const handled = before?.state === 'done' ? (before.fingerprint ?? '').split(' ') : []
  return fingerprint.split(' ').some((remark) => !handled.includes(remark))
}

/** By what a notification is recognized as sent: once each time the count starts anew, and once for new remarks. */
export function escalationOf({ key, fingerprint }: Condition, { firstAt }: ReactionRecord): string {
  return `escalated ${firstAt}${REMARK_KEYS.includes(key) ? ` ${fingerprint}` : ''}`
}

function act(condition: Condition, rule: ReactionRule, before: Continued | undefined, moment: Moment): OneAnswer {
  const { now } = moment
  const earlier = before?.fingerprint === condition.fingerprint && before.state !== 'dropped' ? before : undefined
  const attempts = earlier?.attempts ?? (before?.attempts ?? 0) + 1
  const record: ReactionRecord = {
    fingerprint: condition.fingerprint,
    attempts,
    firstAt: before?.firstAt ?? now,
    lastAt: now,
    state: 'intended',
    action: rule.action,
    retryAt: 0,
    escalated: before?.escalated ?? false,
    told: before?.told ?? '',
    heard: before?.heard,
    failures: earlier?.failures,
    progress: AGENT_KEYS.includes(condition.key) ? { ...moment.progress, ...before?.progress } : undefined,
  }
  const reason = whyEscalate(rule, record, now)
  if (reason !== null && rule.action !== 'notify') {
    if (record.escalated && !isNews(condition, before)) return { decision: null, record: { ...record, state: 'done' } }
    return { decision: { kind: 'escalate', condition, rule, reason }, record: { ...record, escalating: true } }
  }
  return { decision: { kind: 'act', action: rule.action, condition, rule, attempt: attempts }, record }
}

function escalateWhenDue(condition: Condition, rule: ReactionRule, record: ReactionRecord, now: number): OneAnswer {
  if (record.escalated || rule.action === 'notify') return NOTHING
  const reason =
    rule.escalateAfterMs !== undefined && now - record.firstAt >= rule.escalateAfterMs
      ? lasted(rule.escalateAfterMs)
      : null
  if (reason === null) return NOTHING
  return {
    decision: { kind: 'escalate', condition, rule, reason },
    record: { ...record, state: 'intended', escalating: true },
  }
}

function whyEscalate(rule: ReactionRule, record: ReactionRecord, now: number): string | null {
  const most = Math.min(rule.retries ?? Infinity, rule.escalateAfterAttempts ?? Infinity)
  if (record.attempts > most) return tried(rule, record.attempts - 1)
  if (rule.escalateAfterMs !== undefined && now - record.firstAt >= rule.escalateAfterMs)
    return lasted(rule.escalateAfterMs)
  if ((record.failures ?? 0) >= FAILURES_TO_ESCALATE) return `${rule.action} failed ${record.failures} times`
  return null
}

function tried({ action }: ReactionRule, times: number): string {
  const often = times === 1 ? 'once' : `${times} times`
  if (action === 'review') return `it was reviewed ${often}`
  if (action === 'switch-account') return `it was continued with another account ${often}`
  return action === 'restart-agent' ? `it was restarted ${often} in vain` : `the agent was asked ${often}`
}

function lasted(ms: number): string {
  return `it began more than ${Math.round(ms / 60_000)} minutes ago`
}

/** The user must learn of an agent that cannot be reached. */
const FAILURES_TO_ESCALATE = 5
const FIRST_RETRY_MS = 10_000
const LONGEST_RETRY_MS = 300_000

/** What to remember once the act is over. */
export function afterAct(record: ReactionRecord, succeeded: boolean, now: number): ReactionRecord {
  const { escalating, failures, ...rest } = record
  if (succeeded) {
    const done: ReactionRecord = { ...rest, state: 'done', lastAt: now, retryAt: 0 }
    if (escalating) return { ...done, escalated: true }
    const heard = record.action === 'notify' ? (record.heard ?? '') : record.fingerprint
    return { ...done, told: record.fingerprint, heard }
  }
  const waited = Math.max(FIRST_RETRY_MS, Math.min(LONGEST_RETRY_MS, (now - record.firstAt) * 2))
  return { ...rest, state: 'failed', retryAt: now + waited, failures: (failures ?? 0) + 1 }
}
