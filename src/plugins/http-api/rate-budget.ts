// How many requests a service still allows, and when again. Reads the responses; sends nothing.

export interface RateWindow {
  limit: number
  remaining: number
  /** Milliseconds since 1970. */
  resetAt: number
}

export interface Answer {
  /** What the service counts separately, for example REST and GraphQL. */
  resource: string
  status: number
  window: RateWindow | null
  retryAfterMs: number | null
  /** The service says that this was too much or too fast. */
  limited: boolean
  /** The text of an error. */
  message?: string | undefined
  /** What it took from the window; one by default. */
  cost?: number | undefined
}

export interface Blocked {
  until: number
  why: string
}

export interface RateBudget {
  /** null: go ahead. Calls of the loop also keep to our share and avoid a failing service. */
  blocked(resource: string, loop: boolean): Blocked | null
  note(answer: Answer): void
  /** No response came at all. */
  noteTrouble(why: string): void
}

export interface BudgetOptions {
  service: string
  share: number
  now?: () => number
  random?: () => number
}

/** Where a limit names no time. */
const UNNAMED_WAIT_MS = 60_000
const MAX_WAIT_MS = 60 * 60_000
const FIRST_TROUBLE_MS = 1_000
const MAX_TROUBLE_MS = 2 * 60_000

export function createRateBudget({ service, share, now = Date.now, random = Math.random }: BudgetOptions): RateBudget {
  const windows = new Map<string, RateWindow & { spent: number }>()
  let limited: Blocked = { until: 0, why: '' }
  let limitedTimes = 0
  let trouble: Blocked = { until: 0, why: '' }
  let troubleTimes = 0

  function noteLimit(answer: Answer): void {
    const least = answer.retryAfterMs ?? usedUpFor(answer.window, now()) ?? UNNAMED_WAIT_MS * 2 ** limitedTimes
    limitedTimes = Math.min(limitedTimes + 1, 5)
    const reason = answer.message ? `: ${answer.message.slice(0, 200)}` : ''
    // Never earlier than it says, and not all clients at the same moment.
    const wait = Math.min(least, MAX_WAIT_MS) * (1 + random() / 4)
    limited = { until: now() + wait, why: `${service} limits the rate (${answer.status}${reason})` }
  }

  function noteTrouble(why: string): void {
    const wait = Math.min(FIRST_TROUBLE_MS * 2 ** troubleTimes, MAX_TROUBLE_MS)
    troubleTimes = Math.min(troubleTimes + 1, 16)
    trouble = { until: now() + wait * (0.5 + random() / 2), why }
  }

  return {
    blocked(resource, loop) {
      if (limited.until > now()) return limited
      if (!loop) return null
      if (trouble.until > now()) return trouble
      const window = windows.get(resource)
      return window === undefined ? null : overspent(window, share, now())
    },
    note(answer) {
      if (answer.window !== null) {
        const before = windows.get(answer.resource)
        const same = before !== undefined && Math.abs(before.resetAt - answer.window.resetAt) < 60_000
        const spent = (same ? before.spent : 0) + (answer.cost ?? 1)
        windows.set(answer.resource, { ...answer.window, spent })
      }
      if (answer.limited) return noteLimit(answer)
      if (answer.status >= 500) return noteTrouble(`${service} answered ${answer.status}`)
      limitedTimes = 0
      troubleTimes = 0
    },
    noteTrouble,
  }
}

function overspent(window: RateWindow & { spent: number }, share: number, now: number): Blocked | null {
  const { limit, remaining, spent, resetAt } = window
  if (resetAt <= now) return null
  if (remaining <= 0) return { until: resetAt, why: 'the rate limit is used up' }
  if (spent < limit * share) return null
  return { until: resetAt, why: `ao has used its share of the rate limit (${spent} of ${limit})` }
}

function usedUpFor(window: RateWindow | null, now: number): number | null {
  if (window === null || window.remaining > 0) return null
  return Math.max(window.resetAt - now, 1000)
}

/** In the headers of that prefix, which name the end of the window in seconds. null: they are missing. */
export function windowIn(headers: Headers, prefix: string): RateWindow | null {
  const count = (name: string) => headerCount(headers.get(`${prefix}-${name}`))
  const [limit, remaining, reset] = [count('limit'), count('remaining'), count('reset')]
  return limit === null || remaining === null || reset === null ? null : { limit, remaining, resetAt: reset * 1000 }
}

/** A numeric header; null when it is missing or not a number. */
export function headerCount(text: string | null | undefined): number | null {
  return text != null && /^[0-9]{1,15}$/.test(text.trim()) ? Number(text) : null
}
