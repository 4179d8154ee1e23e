// One way to ask the server: JSON in, JSON out, and its error shape as an Error with the hint.

/** What the server said no with; `NETWORK` when it did not answer at all. */
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

export function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return ask<T>(path, { method: 'GET', ...(signal && { signal }) })
}

export function postJson<T>(path: string, body: unknown): Promise<T> {
  return ask<T>(path, withBody('POST', body))
}

export function patchJson<T>(path: string, body: unknown): Promise<T> {
  return ask<T>(path, withBody('PATCH', body))
}

function withBody(method: string, body: unknown): RequestInit {
  return { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  const response = await reach(path, init)
  if (!response.ok) throw await readFailure(response)
  return (await response.json()) as T
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { credentials: 'same-origin', ...init })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new RequestError({
      status: 0,
      code: 'NETWORK',
      message: 'The server does not answer.',
      hint: 'See whether it runs with: ao status',
    })
  }
}

/** Also for answers that are not ours: a proxy's page, an empty body. */
export async function readFailure(response: Response): Promise<RequestError> {
  const plain = { status: response.status, code: 'INTERNAL', message: `The server answered with ${response.status}.` }
  try {
    const { error } = (await response.json()) as { error?: { code?: string; message?: string; hint?: string } }
    return new RequestError({ ...plain, ...error })
  } catch {
    // No JSON in it: the number is all there is to say.
    return new RequestError(plain)
  }
}
