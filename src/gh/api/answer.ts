// A server's response: a status, a body, headers. Refusals are responses too, worded like GitHub's.
import { AoError, errorText } from '../../contract/errors.ts'
import { isIssueNotFoundError } from '../../slots/tracker.ts'
import { LabelExistsError, LabelNotFoundError } from '../change-label.ts'
import { GhError } from '../gh-error.ts'
import { NotYourPullError } from '../open-gh.ts'

export interface ApiAnswer {
  status: number
  body?: unknown
  /** Instead of a body: a diff, a log. */
  text?: string
  headers?: Record<string, string>
}

export class ApiError extends GhError {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export const STATUS_TEXT: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  204: 'No Content',
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Entity',
  501: 'Not Implemented',
}

export function notFound(what = 'Not Found'): ApiError {
  return new ApiError(404, what)
}

/** 501: GitHub supports it, and the local forge does not. */
export function notHere(why: string): ApiError {
  return new ApiError(501, why)
}

/** An error as a response; null: it is a bug, which the caller must not read as a refusal. */
export function answerOf(error: unknown): ApiAnswer | null {
  const status = statusOf(error)
  if (status === null) return null
  const hint = error instanceof AoError && error.hint ? ` (${error.hint})` : ''
  return { status, body: { message: `${errorText(error)}${hint}`, status: String(status) } }
}

function statusOf(error: unknown): number | null {
  if (error instanceof ApiError) return error.status
  if (error instanceof NotYourPullError) return 403
  if (error instanceof LabelNotFoundError || isIssueNotFoundError(error)) return 404
  if (error instanceof LabelExistsError || error instanceof GhError) return 422
  if (!(error instanceof AoError)) return null
  if (error.code === 'PR_NOT_FOUND') return 404
  if (error.code === 'PR_NOT_MERGEABLE') return 405
  return error.code === 'PR_HEAD_MOVED' ? 409 : 422
}
