// What Codex is doing, from its hooks and its rollout. Exact with hooks; without them a wait for approval is inferred from
// a command without a result. After kill -9 nothing is written, so only the runtime can detect that.
import { type JsonObject, textField } from '../../core/text/json-fields.ts'
import { readTailUntil } from '../../lib/read-jsonl.ts'
import type { ActivityReading, ReadOptions, Seen } from '../../slots/agent.ts'
import { activityFromAge, turnEnd } from '../agent-files/age-activity.ts'
import { type HookEvent, readHookEvents } from '../agent-files/hook-events.ts'
import { recordsShow } from '../agent-files/records-show.ts'
import { lastTurnIn, newer, type TurnEvent } from '../agent-files/turn-event.ts'
import type { Rollout } from './find-rollout.ts'
import { readLaunchRecord } from './launch.ts'
import { enteredText, lastRolloutEvent, pendingEscalation } from './rollout.ts'

/** Asking and answering by a rule takes less than this. */
const ESCALATION_WAIT_MS = 3_000

export async function readActivity(rollout: Rollout | null, options: ReadOptions): Promise<ActivityReading | null> {
  const [events, tail] = await Promise.all([
    readHookEvents(options.stateDir, (some) => lastHookTurn(some) !== null),
    rollout ? readTailUntil(rollout.path, ({ records }) => lastRolloutEvent(records) !== null) : null,
  ])
  const record = readLaunchRecord(options.stateDir)
  const launchedAt = record ? new Date(record.launchedAt) : null
  const startsIdle = record !== null && (record.isResume || !record.hasPrompt)
  return decideActivity({ events, records: tail?.records ?? [], launchedAt, startsIdle, options })
}

interface CodexFacts {
  events: readonly HookEvent[]
  records: readonly JsonObject[]
  launchedAt: Date | null
  startsIdle: boolean
  options: Pick<ReadOptions, 'now' | 'readyThresholdMs'>
}

/** Pure. */
function decideActivity(facts: CodexFacts): ActivityReading | null {
  const { events, records, launchedAt, options } = facts
  const ofThisLaunch = (turn: TurnEvent | null) => (turn && launchedAt && turn.at < launchedAt ? null : turn)
  const hook = ofThisLaunch(lastHookTurn(events))
  const turn = newer(ofThisLaunch(lastRolloutEvent(records)), hook) ?? firstTurn(facts)
  if (!turn) return null
  const guess = hook === null && turn.kind === 'working' ? longPending(records, options.now) : null
  const { kind, at, evidence } = guess ?? turn
  if (kind === 'exited') return { state: 'exited', timestamp: at, evidence }
  return { state: activityFromAge({ kind, at, ...options }), timestamp: at, evidence, ...turnEnd(kind) }
}

function firstTurn({ launchedAt, startsIdle, options }: CodexFacts): TurnEvent | null {
  // Started in the future: the clock went back, and what it did since looks older than its start.
  if (!launchedAt || !startsIdle || launchedAt > options.now) return null
  return {
    kind: 'finished',
    at: launchedAt,
    evidence: 'it was started without a prompt and has recorded nothing since',
  }
}

function longPending(records: readonly JsonObject[], now: Date): TurnEvent | null {
  const pending = pendingEscalation(records)
  return pending && now.getTime() - pending.at.getTime() > ESCALATION_WAIT_MS ? pending : null
}

const KINDS: Readonly<Record<string, TurnEvent['kind']>> = {
  SessionStart: 'finished',
  UserPromptSubmit: 'working',
  PreToolUse: 'working',
  PermissionRequest: 'waiting',
  PostToolUse: 'working',
  Stop: 'finished',
  SessionEnd: 'exited',
}

/** Ends of a thread that continues with another one in the same process. */
const NOT_AN_EXIT: ReadonlySet<string> = new Set(['clear', 'resume'])

function lastHookTurn(events: readonly HookEvent[]): TurnEvent | null {
  return lastTurnIn(events, hookTurn)
}

function hookTurn({ event, at, payload }: HookEvent): TurnEvent | null {
  const kind = Object.hasOwn(KINDS, event) ? KINDS[event]! : null
  if (kind === null) return null
  if (kind === 'exited' && NOT_AN_EXIT.has(textField(payload, 'reason') ?? '')) return null
  const tool = textField(payload, 'tool_name')
  return { kind, at, evidence: `hook ${event}${tool === null ? '' : `: ${tool}`}` }
}

export function hasSeen(rollout: Rollout | null, text: string, since: Date): Promise<Seen> {
  return recordsShow({ file: rollout?.path, enteredText }, text, since)
}
