// Which reactions follow now. Pure: what holds, what was already done, the rules and the time go in; decisions come out.
import type {
  Condition,
  ReactionDecision,
  ReactionKey,
  ReactionMemory,
  ReactionRecord,
  ReactionRule,
} from '../../contract/reactions.ts'

export interface ReactionQuestion {
  /** What calls for a reaction at this moment. */
  conditions: Condition[]
  /** Keys of which we know for certain that they no longer hold. What is merely not seen now is not in here. */
  resolved: ReactionKey[]
  memory: ReactionMemory
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
  const decisions: ReactionDecision[] = []
  for (const condition of question.conditions) {
    const rule = question.rules[condition.key]
    const { decision, record } = decideOne(condition, rule, memory[condition.key], question.now)
    if (decision) decisions.push(decision)
    if (record) memory[condition.key] = record
  }
  return { decisions, memory }
}

interface OneAnswer {
  decision: ReactionDecision | null
  record: ReactionRecord | null
}

const NOTHING: OneAnswer = { decision: null, record: null }

function decideOne(
  condition: Condition,
  rule: ReactionRule,
  before: ReactionRecord | undefined,
  now: number,
): OneAnswer {
  // A rule that is not automatic still tells the human; it never acts on the agent or the forge.
  if (!rule.auto && rule.action !== 'notify')
    return decideOne(condition, { ...rule, auto: true, action: 'notify' }, before, now)
  if (!rule.auto) return NOTHING
  if (now - condition.since < rule.thresholdMs) return NOTHING
  const known = before?.fingerprint === condition.fingerprint ? before : undefined
  if (known?.state === 'done') return escalateWhenDue(condition, rule, known, now)
  // Intended but never confirmed: the process died in between. It is tried again, and the receipt tells the two apart.
  if (known && known.state === 'failed' && now < known.retryAt) return NOTHING
  return act(condition, rule, before, known, now)
}

function act(
  condition: Condition,
  rule: ReactionRule,
  before: ReactionRecord | undefined,
  known: ReactionRecord | undefined,
  now: number,
): OneAnswer {
  const attempt = known ? known.attempts : (before?.attempts ?? 0) + 1
  const firstAt = before?.firstAt ?? now
  const record: ReactionRecord = {
    fingerprint: condition.fingerprint,
    attempts: attempt,
    firstAt,
    lastAt: now,
    state: 'intended',
    retryAt: 0,
    escalated: before?.escalated ?? false,
    told: before?.told ?? '',
    ...(known?.failures === undefined ? {} : { failures: known.failures }),
  }
  const reason = whyEscalate(rule, record, now)
  if (reason !== null && rule.action !== 'notify') {
    if (record.escalated) return { decision: null, record: { ...record, state: 'done' } }
    return { decision: { kind: 'escalate', condition, rule, reason }, record: { ...record, escalating: true } }
  }
  return { decision: { kind: 'act', action: rule.action, condition, rule, attempt }, record }
}

function escalateWhenDue(condition: Condition, rule: ReactionRule, known: ReactionRecord, now: number): OneAnswer {
  if (known.escalated || rule.action === 'notify') return NOTHING
  const reason =
    rule.escalateAfterMs !== undefined && now - known.firstAt >= rule.escalateAfterMs
      ? lasted(rule.escalateAfterMs)
      : null
  if (reason === null) return NOTHING
  return {
    decision: { kind: 'escalate', condition, rule, reason },
    record: { ...known, state: 'intended', escalating: true },
  }
}

function whyEscalate(rule: ReactionRule, record: ReactionRecord, now: number): string | null {
  if (rule.retries !== undefined && record.attempts > rule.retries)
    return `the agent was asked ${record.attempts - 1} times`
  if (rule.escalateAfterAttempts !== undefined && record.attempts > rule.escalateAfterAttempts) {
    return `the agent was asked ${record.attempts - 1} times`
  }
  if (rule.escalateAfterMs !== undefined && now - record.firstAt >= rule.escalateAfterMs)
    return lasted(rule.escalateAfterMs)
  if ((record.failures ?? 0) >= FAILURES_TO_ESCALATE) return `${rule.action} failed ${record.failures} times`
  return null
}

function lasted(ms: number): string {
  return `it has lasted longer than ${Math.round(ms / 60_000)} minutes`
}

/** An agent that cannot be reached must not stay a secret between it and the loop. */
const FAILURES_TO_ESCALATE = 5
const FIRST_RETRY_MS = 10_000
const LONGEST_RETRY_MS = 300_000

/** What to remember once the act is over. */
export function afterAct(record: ReactionRecord, succeeded: boolean, now: number): ReactionRecord {
  const { escalating, failures, ...rest } = record
  if (succeeded) {
    const done: ReactionRecord = { ...rest, state: 'done', lastAt: now, retryAt: 0 }
    return escalating ? { ...done, escalated: true } : { ...done, told: record.fingerprint }
  }
  const waited = Math.max(FIRST_RETRY_MS, Math.min(LONGEST_RETRY_MS, (now - record.firstAt) * 2))
  return { ...rest, state: 'failed', retryAt: now + waited, failures: (failures ?? 0) + 1 }
}
