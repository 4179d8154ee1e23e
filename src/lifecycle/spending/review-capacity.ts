// Whether reviews keep up: what starts by itself waits while more changes are under way than a person reads. A person's own
// `ao spawn` never asks here.
import type { ProjectConfig } from '../../contract/config.ts'
import { reviewSurface } from '../../contract/forges.ts'
import type { SessionRecord } from '../../contract/record.ts'
import { openChanges } from '../../core/review/open-changes.ts'
import { reviewCapacity } from '../../core/review/review-capacity.ts'
import { recordedPulls } from '../../core/status/recorded-facts.ts'
import { storedSessions } from '../../manager/active.ts'
import type { LoopContext } from '../loop/loop-context.ts'

export function mayAddReviews(loop: LoopContext, project: ProjectConfig): boolean {
  const capacity = project.review?.capacity ?? 'off'
  if (capacity === 'off') return true
  const now = loop.context.clock.now().getTime()
  const { waits } = reviewCapacity({
    capacity,
    ...(capacity === 'auto' ? measured(loop, project) : { reviews: [], leads: [] }),
    changes: openChanges(storedSessions(loop.context, project.id)),
    now,
  })
  loop.health(reviewSurface(project.id), waits === null ? 'ok' : 'warn', waits ?? undefined)
  return waits === null
}

interface Measured {
  reviews: number[]
  leads: number[]
}

const memory = new WeakMap<LoopContext, Map<string, Measured & { at: number }>>()
const MEASURED_MS = 60_000

/** From all records, those of the archive included: read again once a minute at most. */
function measured(loop: LoopContext, project: ProjectConfig): Measured {
  const now = loop.context.clock.now().getTime()
  const own = memory.get(loop) ?? new Map<string, Measured & { at: number }>()
  memory.set(loop, own)
  const cached = own.get(project.id)
  if (cached && now >= cached.at && now - cached.at < MEASURED_MS) return cached
  const store = loop.context.store(project.id)
  const records = [...store.readAll(), ...store.readAllArchived()].map(({ record }) => record)
  const found = { at: now, reviews: records.flatMap(reviewTimes), leads: records.flatMap(leadOf) }
  own.set(project.id, found)
  return found
}

function reviewTimes(record: SessionRecord): number[] {
  return recordedPulls(record).flatMap(({ reviewed }) => (Array.isArray(reviewed) ? reviewed.map(timeOf) : []))
}

function leadOf(record: SessionRecord): number[] {
  const opened = Math.min(...recordedPulls(record).map((one) => timeOf(one.opened)))
  const { createdAt } = record
  return createdAt === undefined || Number.isNaN(opened) ? [] : [opened - createdAt.getTime()]
}

/** NaN: it is none. */
function timeOf(text: unknown): number {
  return typeof text === 'string' ? Date.parse(text) : Number.NaN
}
