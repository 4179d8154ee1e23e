// What a GitHub response says about limits and costs beyond its status: a 403 may mean "later", GraphQL says it with a 200.
import type { Judgement, RawAnswer } from '../http-api/api-client.ts'

interface Body {
  message?: unknown
  errors?: unknown
  data?: { rateLimit?: { cost?: unknown } | null } | null
}

export function judgeAnswer({ status, text, later }: RawAnswer): Judgement {
  const body = bodyOf(text)
  const limit = limitError(body)
  const message = limit === undefined ? messageOf(body) : String(limit.message)
  const limited = status === 200 ? limit !== undefined : status === 403 && (later || isLimitText(message))
  return { limited, reason: message, cost: costOf(body) }
}

/** Most 403s are a missing permission. */
function isLimitText(message: string | undefined): boolean {
  return /rate limit|abuse detection/i.test(message ?? '')
}

/** Only a response that may mention a limit is worth parsing; a log is not. */
function bodyOf(text: string): Body {
  if (!text.startsWith('{')) return {}
  try {
    return JSON.parse(text) as Body
  } catch {
    // The client itself reports it.
    return {}
  }
}

function limitError({ errors }: Body): { message?: unknown } | undefined {
  return Array.isArray(errors) ? errors.find((one) => one?.type === 'RATE_LIMITED') : undefined
}

function messageOf({ message, errors }: Body): string | undefined {
  if (typeof message !== 'string') return undefined
  return (Array.isArray(errors) ? `${message}: ${JSON.stringify(errors).slice(0, 300)}` : message).slice(0, 500)
}

/** What a GraphQL query reports as its cost. */
function costOf({ data }: Body): number | undefined {
  const cost = data?.rateLimit?.cost
  return typeof cost === 'number' && cost >= 0 ? cost : undefined
}
