// What was recorded of each round, put where the real decisions read it.
import type { ProjectConfig } from '../contract/config.ts'
import type { ReactionMemory } from '../contract/reactions.ts'
import { recordOf } from '../contract/record.ts'
import { isTerminalSession } from '../contract/status.ts'
import { storedSession } from '../contract/stored-session.ts'
import type { CassetteLine, SessionFacts } from '../core/recording/cassette.ts'
import { type Compared, differ, type Replay } from './compare-decisions.ts'
import type { Disk } from './memory-disk.ts'

export type RoundLine = Extract<CassetteLine, { k: 'round' }>

export interface RecordedDay extends Compared {
  project: ProjectConfig
  disk: Disk
  facts: Map<string, SessionFacts>
  appeared: Set<string>
  costs: Map<string, { first: number; last: number; followed: number }>
  hasBegun: boolean
}

/** What changed until then, except of those that are unknown by now. */
export function takeFacts(day: RecordedDay, line: RoundLine, result: Replay): void {
  const { disk, facts, unknown } = day
  for (const [id, { record = {}, ...changed }] of Object.entries(line.s)) {
    const isFirst = !facts.has(id)
    const isStart = day.hasBegun && !day.appeared.has(id)
    if (isStart) noteStart(day, result, { session: id, isOfBacklog: typeof record.issue === 'string' })
    day.appeared.add(id)
    const before = facts.get(id)
    facts.set(id, { ...NO_FACTS, ...before, ...changed, record: {} } as SessionFacts)
    noteCost(day, id, changed.cost?.[4] ?? null)
    if (unknown.has(id)) continue
    const pairs: Record<string, string> = isFirst ? {} : { ...disk.records.get(id) }
    for (const [name, value] of Object.entries(record)) {
      if (value === null) delete pairs[name]
      else pairs[name] = value
    }
    disk.records.set(id, pairs)
    const memory: ReactionMemory | null | undefined = changed.memory
    if (memory) disk.memories.set(id, JSON.stringify(memory))
  }
  for (const id of line.gone ?? []) for (const map of [disk.records, facts, disk.memories]) map.delete(id)
}

/** One of which only the record is known yet. */
const NO_FACTS: Omit<SessionFacts, 'record'> = {
  ...{ live: null, reading: null, operation: null, limitResetsAt: null, cost: null, head: null, memory: null },
  ...{ isPaused: false, isFleetPaused: false, isGlimpse: false, isActing: false, promptSeen: false, expired: false },
  ...{ pulls: [], collisions: null, undecided: [] },
}

function noteCost(day: RecordedDay, id: string, usd: number | null): void {
  if (usd === null) return
  const before = day.costs.get(id) ?? { first: day.hasBegun ? 0 : usd, last: usd, followed: usd }
  const last = Math.max(before.last, usd)
  day.costs.set(id, { ...before, last, followed: day.unknown.has(id) ? before.followed : last })
}

/** A smaller backlog would have let it wait: what it did is unknown from its start on. */
function noteStart(
  day: RecordedDay,
  result: Replay,
  { session, isOfBacklog }: { session: string; isOfBacklog: boolean },
): void {
  result.recorded.starts += 1
  const { backlog } = day.project
  const running = runningIn(day).length
  if (!isOfBacklog || !backlog || running < backlog.maxSessions) {
    result.replayed.starts += 1
    return
  }
  result.unknown.starts += 1
  const what = `it would have waited: ${running} sessions were running, and backlog.maxSessions is ${backlog.maxSessions}`
  differ(day, result, { session, what, isUnknown: true })
}

export function runningIn({ disk, project, unknown }: RecordedDay): string[] {
  return [...disk.records].flatMap(([id, pairs]) => {
    const session = storedSession({ id, pairs }, project.id)
    const isOver = isTerminalSession({ status: session.status, activity: null })
    return isOver || unknown.has(id) || recordOf(session).role === 'orchestrator' ? [] : [id]
  })
}
