// The server's error shape as an Error with its hint.

/** The server's error code; `NETWORK` when it did not answer at all. */
export class RequestError extends Error {
  readonly status: number
  readonly code: string
  readonly hint: string | null

  constructor(failure: { status: number; code: string; message: string; hint?: string | undefined }) {
    super(failure.message)
    this.name = 'RequestError'
    this.status = failure.status
    this.code = failure.code
    this.hint = failure.hint ?? null
  }
}

/** Also for responses that are not ours: a proxy's page, an empty body. */
export async function readFailure(response: Response): Promise<RequestError> {
  const plain = { status: response.status, code: 'INTERNAL', message: `The server answered with ${response.status}.` }
  try {
    const { error } = (await response.json()) as { error?: { code?: string; message?: string; hint?: string } }
    return new RequestError({ ...plain, ...error })
  } catch {
    // Not JSON: the status is all there is.
    return new RequestError(plain)
  }
}
