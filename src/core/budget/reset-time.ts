// When a limit that an agent ran into is reset, from the agent's own words. Pure. Anything that cannot be understood is not guessed.

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** A later one is a misunderstanding. */
const FARTHEST_MS = 8 * DAY

/** null: the words name no time. `zone`: of the machine, for times without one. */
export function readResetTime(message: string, now: number, zone: string): number | null {
  const found = ofEpoch(message) ?? ofInstant(message) ?? ofDuration(message, now) ?? ofClock(message, now, zone)
  if (found === null || Number.isNaN(found)) return null
  return found > now && found - now <= FARTHEST_MS ? found : null
}

/** Claude Code: `usage limit reached|1730822400`. */
function ofEpoch(message: string): number | null {
  const seconds = /\|(1\d{9})\b/.exec(message)?.[1]
  return seconds === undefined ? null : Number(seconds) * 1_000
}

/** `resets at 2026-11-15T15:00:00Z`. */
function ofInstant(message: string): number | null {
  const instant = /\b(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))/.exec(message)?.[1]
  return instant === undefined ? null : Date.parse(instant)
}

const UNITS: ReadonlyArray<readonly [pattern: RegExp, ms: number]> = [
  [/(?<![\d.])([\d.]+)\s*d(?:ays?)?\b/i, DAY],
  [/(?<![\d.])([\d.]+)\s*h(?:ours?|rs?)?(?![a-z])/i, HOUR],
  [/(?<![\d.])([\d.]+)\s*m(?:in(?:ute)?s?)?(?![a-z])/i, MINUTE],
  [/(?<![\d.])([\d.]+)\s*s(?:ec(?:ond)?s?)?(?![a-z])/i, 1_000],
]

/** `try again in 3 days 4 hours 12 minutes`, `Please retry in 12h34m56.7s`, `resets in 45 minutes`. */
function ofDuration(message: string, now: number): number | null {
  const after =
    /\b(?:try again|retry|resets?|reset|available again|wait)\b[^.\n]{0,40}?\b(?:in|for|after)\s+((?:about\s+)?[\d.]+\s*[a-z][^\n]{0,60})/i.exec(
      message,
    )?.[1]
  if (after === undefined) return null
  const amounts = UNITS.map(([pattern, ms]) => Number(pattern.exec(after)?.[1] ?? 0) * ms)
  const sum = amounts.reduce((total, one) => total + (Number.isNaN(one) ? 0 : one), 0)
  return sum > 0 ? now + sum : null
}

/** `resets 3pm`, `will reset at 3:45 PM (Europe/Berlin)`, `try again at 15:30`. */
function ofClock(message: string, now: number, zone: string): number | null {
  const match =
    /\b(?:resets?|reset|try again|available again|again)\b[^\n\d]{0,30}?\b(\d{1,2})(?::(\d\d))?\s*(am|pm)?\b(?:\s*\(?((?:UTC|GMT|[A-Z][A-Za-z]+\/[A-Za-z_/]+))\)?)?/i.exec(
      message,
    )
  if (!match) return null
  const [, hourText, minuteText, half, named] = match
  // A bare number is no time of day.
  if (minuteText === undefined && half === undefined) return null
  const hour = half === undefined ? Number(hourText) : (Number(hourText) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
  const minute = Number(minuteText ?? 0)
  if (hour > 23 || minute > 59) return null
  const clock = clockIn(named ?? zone, now) ?? clockIn(zone, now)
  if (clock === null) return null
  const away = (hour - clock.hour) * HOUR + (minute - clock.minute) * MINUTE - clock.second * 1_000
  return now + (away > 0 ? away : away + DAY)
}

/** null: no such zone. */
function clockIn(zone: string, now: number): { hour: number; minute: number; second: number } | null {
  try {
    const parts = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    }).formatToParts(new Date(now))
    const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
    return { hour: of('hour'), minute: of('minute'), second: of('second') }
  } catch {
    // An agent's own word for a zone.
    return null
  }
}
