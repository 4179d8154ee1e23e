// Whether an idle session is woken now. Health comes first: an ineligible session is never woken.
import { durationMs } from '../../contract/agh/duration.ts'
import type { HeartbeatPolicy, TimeWindow, WakeReport } from '../../contract/agh/heartbeat.ts'
import type { SessionHealth } from '../../contract/agh/session-meta.ts'

export interface WakeFacts {
  health: SessionHealth
  /** null: its agent has no HEARTBEAT.md. */
  policy: HeartbeatPolicy | null
  limits: WakeLimits
  /** When something last happened to it; in milliseconds, like all times here. */
  idleSince: number
  lastWakeAt: number | null
  /** Requested by a person: the interval is ignored, everything else applies. */
  manual: boolean
  now: number
  timezone: string
}

export interface WakeLimits {
  enabled: boolean
  minIntervalMs: number
  defaultIntervalMs: number
  cooldownMs: number
}

export function decideWake(facts: WakeFacts): Omit<WakeReport, 'session_id' | 'dry_run'> {
  const { health, policy, limits, now, timezone } = facts
  if (!limits.enabled) return skipped('heartbeat_disabled')
  if (!policy) return skipped('heartbeat_no_policy')
  if (!policy.enabled || policy.prompt === '') return skipped('heartbeat_disabled')
  if (!health.eligible_for_wake) return skipped(health.ineligibility_reason ?? 'session_unhealthy')
  const { active_hours, quiet_windows } = policy.preferences
  const isIn = (window: TimeWindow) => isInWindow(window, now, timezone)
  if (active_hours.length > 0 && !active_hours.some(isIn)) return skipped('outside_active_hours')
  if (quiet_windows.some(isIn)) return skipped('quiet_window')
  if (facts.lastWakeAt !== null && now - facts.lastWakeAt < limits.cooldownMs) {
    return { result: 'rate_limited', reason: 'cooldown_active' }
  }
  if (!facts.manual && now - facts.idleSince < wakeInterval(policy, limits)) {
    return { result: 'rate_limited', reason: 'heartbeat_rate_limited' }
  }
  return { result: 'sent', reason: 'wake_sent' }
}

function wakeInterval(policy: HeartbeatPolicy, limits: WakeLimits): number {
  const { min_interval } = policy.preferences
  const wanted = min_interval === undefined ? limits.defaultIntervalMs : durationMs(min_interval)
  return Math.max(limits.minIntervalMs, wanted)
}

export function isInWindow(window: TimeWindow, now: number, timezone: string): boolean {
  const at = clockAt(now, window.timezone ?? timezone)
  const { start, end } = window
  if (start <= end) return start <= at && at < end
  return at >= start || at < end
}

/** `08:30` in the local time of that zone. */
function clockAt(now: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  return format.format(new Date(now))
}

function skipped(reason: string): Omit<WakeReport, 'session_id' | 'dry_run'> {
  return { result: 'skipped', reason }
}
