// A service over HTTP that refused or did not answer. Programs check `status` and `said`, people read the message.
import { AoError, type AoErrorOptions, type ErrorCode } from '../../contract/errors.ts'

export class HttpApiError extends AoError {
  /** null: no response came, or no request was sent because of a rate limit. */
  readonly status: number | null
  /** The service's own message. */
  readonly reason: string

  constructor(
    code: ErrorCode,
    message: string,
    { status, reason = '', ...options }: AoErrorOptions & { status: number | null; reason?: string },
  ) {
    super(code, message, { ...options, details: { status, ...options.details } })
    this.name = 'HttpApiError'
    this.status = status
    this.reason = reason
  }
}

export function hasStatus(error: unknown, ...statuses: number[]): error is HttpApiError {
  return error instanceof HttpApiError && error.status !== null && statuses.includes(error.status)
}
