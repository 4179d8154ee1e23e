// What a rehearsed day amounts to, as plain data: the same for the terminal, for JSON and for the page.
import { isTerminalSession, type SessionStatus } from '../contract/status.ts'
import type { Rehearsal } from './rehearse.ts'
import { MINUTE, type NeedKind } from './world.ts'

export interface WaitSummary {
  kind: NeedKind
  count: number
  /** Together, and of the longest. */
  minutes: number
  longest: number
}

export interface RehearsalSummary {
  seed: number
  hours: number
  agents: number
  landing: 'train' | 'off'
  started: number
  landed: number
  landedPerHour: number
  /** From the start of the session to its landing; null: nothing landed. */
  medianMinutesToLand: number | null
  baseRed: { times: number; minutes: number }
  waits: WaitSummary[]
  /** Sent to agents, by what caused them. */
  messages: Record<string, number>
  notifications: Record<string, number>
  escalated: string[]
  agentRestarts: number
  aoRestarts: number
  costUsd: number
  costPerLanded: number | null
  /** In the end without progress for more than half an hour, and why. */
  stuck: Array<{ session: string; status: string; minutes: number }>
}

const STUCK_MS = 30 * MINUTE

export function summarize(rehearsal: Rehearsal): RehearsalSummary {
  const { options, world, disk } = rehearsal
  const sessions = [...world.sessions.values()]
  const times = sessions.flatMap(({ startedAt, landedAt }) =>
    landedAt === null ? [] : [(landedAt - startedAt) / MINUTE],
  )
  const costUsd = [...disk.records.values()].reduce((sum, { usageCostUsd }) => sum + Number(usageCostUsd ?? 0), 0)
  const landed = times.length
  return {
    seed: options.seed,
    hours: options.hours,
    agents: options.agents,
    landing: world.hasTrain ? 'train' : 'off',
    started: sessions.length,
    landed,
    landedPerHour: landed / options.hours,
    medianMinutesToLand: landed === 0 ? null : [...times].sort((a, b) => a - b)[Math.floor(landed / 2)]!,
    baseRed: { times: world.baseRedTimes, minutes: world.baseRedMinutes },
    waits: summarizeWaits(rehearsal),
    messages: count(sessions.flatMap(({ received }) => received.map(({ key }) => key))),
    notifications: count([...disk.outbox.values()].map(({ type }) => type)),
    escalated: escalatedSessions(rehearsal),
    agentRestarts: sessions.reduce((sum, { launch }) => sum + launch - 1, 0),
    aoRestarts: rehearsal.restarts,
    costUsd,
    costPerLanded: landed === 0 ? null : costUsd / landed,
    stuck: findStuck(rehearsal),
  }
}

function summarizeWaits({ world }: Rehearsal): WaitSummary[] {
  const byKind = Map.groupBy(world.waits, ({ kind }) => kind)
  return [...byKind]
    .map(([kind, waits]) => {
      const minutes = waits.map(({ since, ended }) => ((ended ?? world.now) - since) / MINUTE)
      return { kind, count: waits.length, minutes: minutes.reduce((a, b) => a + b, 0), longest: Math.max(...minutes) }
    })
    .sort((a, b) => b.minutes - a.minutes)
}

function escalatedSessions({ disk }: Rehearsal): string[] {
  return [...disk.outbox.values()]
    .filter(({ dedupeKey }) => dedupeKey?.includes(' escalated '))
    .map(({ message }) => message)
    .sort()
}

function findStuck({ world, disk }: Rehearsal): RehearsalSummary['stuck'] {
  return [...disk.records].flatMap(([session, { status = '', statusSince }]) => {
    const forMs = world.now - Date.parse(statusSince ?? '')
    const isOver = isTerminalSession({ status: status as SessionStatus, activity: null }) && status !== 'killed'
    if (isOver || status === 'working' || !(forMs > STUCK_MS)) return []
    return [{ session, status, minutes: Math.round(forMs / MINUTE) }]
  })
}

function count(names: readonly string[]): Record<string, number> {
  const counted = [...Map.groupBy(names, (word) => word)].map(([word, all]) => [word, all.length] as const)
  return Object.fromEntries(counted.sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])))
}
