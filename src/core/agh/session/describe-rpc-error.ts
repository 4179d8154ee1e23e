// An agent's error message, with the details attached to it.
import { isObject } from '../../text/json-fields.ts'

const MAX_DETAIL = 500

export function describeRpcError(error: { message?: unknown; data?: unknown }): string {
  const message = String(error.message ?? 'no reason was given')
  const detail = detailOf(error.data).slice(0, MAX_DETAIL)
  return detail === '' || message.includes(detail) ? message : `${message}: ${detail}`
}

function detailOf(data: unknown): string {
  if (data === undefined || data === null) return ''
  if (typeof data === 'string') return data
  if (!isObject(data)) return JSON.stringify(data)
  const named = [data.details, data.message, data.error].find((one) => typeof one === 'string' && one !== '')
  return typeof named === 'string' ? named : JSON.stringify(data)
}
