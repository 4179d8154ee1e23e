// `HEARTBEAT.md` beside an AGENT.md: when the idle sessions of that agent are woken. Its body is the prompt they then get.
import * as z from 'zod/mini'
import { isDuration } from './duration.ts'

const time = z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time such as 08:30'))

const windowSchema = z.strictObject({
  /** IANA name; defaults to that of the daemon's machine. */
  timezone: z.optional(z.string().check(z.refine(isTimezone, 'a time zone such as Europe/Berlin'))),
  start: time,
  /** Exclusive. Before `start`: on the next day. */
  end: time,
})
export type TimeWindow = z.infer<typeof windowSchema>

export const heartbeatSchema = z.strictObject({
  version: z.optional(z.literal(1)),
  enabled: z._default(z.boolean(), true),
  summary: z.optional(z.string()),
  preferences: z.prefault(
    z.strictObject({
      /** How long a session must have been idle; never less than the configuration allows. */
      min_interval: z.optional(z.string().check(z.refine(isDuration, 'a duration such as 30m'))),
      /** Only in these; without any: always. */
      active_hours: z._default(z.array(windowSchema), []),
      quiet_windows: z._default(z.array(windowSchema), []),
    }),
    {},
  ),
})

export interface HeartbeatPolicy extends z.infer<typeof heartbeatSchema> {
  prompt: string
}

const WAKE_RESULTS = ['sent', 'skipped', 'rate_limited'] as const

export const wakeReportSchema = z.object({
  session_id: z.string(),
  result: z.enum(WAKE_RESULTS),
  /** One word: `wake_sent`, or why not. */
  reason: z.string(),
  /** Nothing was sent: this is only what would have been done. */
  dry_run: z.boolean(),
})
export type WakeReport = z.infer<typeof wakeReportSchema>

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    // The only way to ask.
    return false
  }
}
