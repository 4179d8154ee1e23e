// One of the entries of the configuration that people name: a project, a place, an account.
import { AoError, type ErrorCode } from '../../contract/errors.ts'
import { nearestWord } from '../text/nearest-word.ts'

export interface NamedRequest {
  /** As in `There is no project x`. */
  kind: string
  name: string
  code: ErrorCode
  /** Where no other name is close to this one. */
  hint?: string
  details: Record<string, unknown>
}

export function requireNamed<T>(entries: Readonly<Record<string, T>>, request: NamedRequest): T {
  const { kind, name, code, details } = request
  if (Object.hasOwn(entries, name)) return entries[name]!
  const names = Object.keys(entries)
  const near = nearestWord(name, names)
  throw new AoError(code, `There is no ${kind} ${name}; the configuration has: ${names.join(', ') || 'none'}`, {
    hint: near === null ? request.hint : `Did you mean ${near}?`,
    details,
  })
}
