import { describe, expect, it } from 'vitest'
import { type HeartbeatPolicy, heartbeatSchema } from '../../contract/agh/heartbeat.ts'
import { decideWake, isInWindow, type WakeFacts } from './decide-wake.ts'

const MINUTE = 60_000
const NOON = Date.parse('2026-05-01T12:00:00Z')

const policy = (front: object): HeartbeatPolicy => ({ ...heartbeatSchema.parse(front), prompt: 'look around' })
const FACTS: WakeFacts = {
  health: {
    session_id: 's',
    state: 'idle',
    health: 'healthy',
    attachable: true,
    eligible_for_wake: true,
    ineligibility_reason: null,
    last_activity_at: null,
  },
  policy: policy({}),
  limits: { enabled: true, minIntervalMs: 5 * MINUTE, defaultIntervalMs: 30 * MINUTE, cooldownMs: MINUTE },
  idleSince: NOON - 30 * MINUTE,
  lastWakeAt: null,
  manual: false,
  now: NOON,
  timezone: 'UTC',
}
const busy = { ...FACTS.health, eligible_for_wake: false, ineligibility_reason: 'session_prompt_active' }
const window = (start: string, end: string, timezone?: string) => ({ start, end, ...(timezone ? { timezone } : {}) })

describe('waking an idle session', () => {
  it.each<[string, Partial<WakeFacts>, string]>([
    ['idle for long enough', {}, 'wake_sent'],
    ['S4.36 not eligible', { health: busy }, 'session_prompt_active'],
    ['S4.36 not eligible, though a person asks', { health: busy, manual: true }, 'session_prompt_active'],
    ['without a HEARTBEAT.md', { policy: null }, 'heartbeat_no_policy'],
    ['turned off by the file', { policy: policy({ enabled: false }) }, 'heartbeat_disabled'],
    ['turned off by the configuration', { limits: { ...FACTS.limits, enabled: false } }, 'heartbeat_disabled'],
    ['with nothing to ask', { policy: { ...policy({}), prompt: '' } }, 'heartbeat_disabled'],
    ['not idle for long enough', { idleSince: NOON - 29 * MINUTE }, 'heartbeat_rate_limited'],
    ['not idle for long enough, but a person asks', { idleSince: NOON, manual: true }, 'wake_sent'],
    ['just woken', { lastWakeAt: NOON - 30_000, manual: true }, 'cooldown_active'],
    [
      'with a shorter interval of its own',
      { policy: policy({ preferences: { min_interval: '10m' } }), idleSince: NOON - 10 * MINUTE },
      'wake_sent',
    ],
    [
      'with an interval below what is allowed',
      { policy: policy({ preferences: { min_interval: '1s' } }), idleSince: NOON - 4 * MINUTE },
      'heartbeat_rate_limited',
    ],
    [
      'in a quiet window',
      { policy: policy({ preferences: { quiet_windows: [window('11:00', '13:00')] } }) },
      'quiet_window',
    ],
    [
      'in a quiet window, though a person asks',
      { policy: policy({ preferences: { quiet_windows: [window('11:00', '13:00')] } }), manual: true },
      'quiet_window',
    ],
    [
      'outside of its hours',
      { policy: policy({ preferences: { active_hours: [window('13:00', '17:00')] } }) },
      'outside_active_hours',
    ],
    ['in its hours', { policy: policy({ preferences: { active_hours: [window('09:00', '17:00')] } }) }, 'wake_sent'],
  ])('%s', (_name, changes, reason) => {
    expect(decideWake({ ...FACTS, ...changes }).reason).toBe(reason)
  })

  it.each<[string, string, string, boolean]>([
    ['12:00', '13:00', 'UTC', true],
    ['11:00', '12:00', 'UTC', false],
    ['22:00', '07:00', 'UTC', false],
    ['22:00', '12:01', 'UTC', true],
    ['14:00', '15:00', 'Europe/Berlin', true],
    ['12:00', '13:00', 'Europe/Berlin', false],
    ['20:00', '22:00', 'Asia/Tokyo', true],
  ])('noon in UTC is between %s and %s in %s: %s', (start, end, zone, expected) => {
    expect(isInWindow(window(start, end, zone), NOON, 'America/New_York')).toBe(expected)
  })

  it.each([
    ['a wrong time', { preferences: { quiet_windows: [{ start: '25:00', end: '07:00' }] } }],
    ['a wrong zone', { preferences: { quiet_windows: [{ start: '20:00', end: '07:00', timezone: 'Mars/North' }] } }],
    ['a wrong interval', { preferences: { min_interval: 'often' } }],
    ['a field that nobody knows', { colour: 'red' }],
  ])('refuses %s', (_name, front) => {
    expect(heartbeatSchema.safeParse(front).success).toBe(false)
  })
})
