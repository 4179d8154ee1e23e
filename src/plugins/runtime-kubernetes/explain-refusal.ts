// A refusal of the API server as an error with a next step.
import { AoError } from '../../contract/errors.ts'
import { ApiError } from './api.ts'

/** What is no refusal stays as it is. */
export function explain(error: unknown, { template }: { template?: string | undefined }): unknown {
  if (!(error instanceof ApiError)) return error
  const details = { status: error.status, reason: error.reason }
  const message = error.message
  if (error.status === 401) {
    return new AoError('PLACE_UNREACHABLE', `The cluster does not accept your credentials: ${message}`, {
      hint: 'Log in again, and make this work first: kubectl get pods',
      details,
    })
  }
  if (error.status === 403 && /exceeded quota/i.test(message)) {
    return new AoError('PLACE_FULL', `The namespace's quota is used up: ${message.replace(/^.*?forbidden: /, '')}`, {
      hint: 'See it with: kubectl describe resourcequota',
      details,
    })
  }
  if (error.status === 403) {
    return new AoError('PLACE_FAILED', `The cluster forbids it: ${message}`, {
      hint: 'docs/places.md has a Role with exactly the rights that ao needs',
      details,
    })
  }
  if (error.status === 429) return new AoError('PLACE_UNREACHABLE', `The cluster is too busy: ${message}`, { details })
  if (error.status === 422 || error.status === 400) {
    const hint = template ? `Correct ${template}` : "Correct the place's options"
    return new AoError('PLACE_FAILED', `The cluster does not accept the pod: ${message}`, { hint, details })
  }
  if (error.status >= 500)
    return new AoError('PLACE_UNREACHABLE', `The cluster answers with an error: ${message}`, { details })
  return new AoError('PLACE_FAILED', `The cluster refused: ${message}`, { details })
}
