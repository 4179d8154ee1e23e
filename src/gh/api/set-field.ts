// `-f a[b][]=x`: gh's way of writing nested bodies.
import { GhError } from '../gh-error.ts'

/** Sets the value at the key's path; a key that needs two shapes at once is refused. */
export function setField(fields: Record<string, unknown>, key: string, value: unknown): void {
  const [, first, rest] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key) ?? []
  if (first === undefined) throw new GhError(`invalid key: "${key}"`)
  const steps = [first, ...[...rest!.matchAll(/\[([^[\]]*)\]/g)].map(([, step]) => step!)]
  if (steps.some((step) => step === '__proto__')) throw new GhError(`invalid key: "${key}"`)
  let at: Record<string, unknown> | unknown[] = fields
  steps.forEach((step, index) => {
    const next = steps[index + 1]
    at = next === undefined ? put(at, step, value, key) : open(at, step, next, key)
  })
}

type Container = Record<string, unknown> | unknown[]

function put(at: Container, step: string, value: unknown, key: string): Container {
  if (Array.isArray(at)) {
    if (step !== '') throw clash(key)
    if (value !== '') at.push(value)
  } else {
    if (Object.hasOwn(at, step)) throw new GhError(`unexpected override existing field under "${step}"`)
    at[step] = value
  }
  return at
}

function open(at: Container, step: string, next: string, key: string): Container {
  const fresh: Container = next === '' ? [] : {}
  if (Array.isArray(at)) {
    if (step !== '') throw clash(key)
    // `a[][b]=1 a[][c]=2 a[][b]=3`: one object until a key repeats.
    const last = at.at(-1)
    if (isObject(last) && !Array.isArray(fresh) && !Object.hasOwn(last, next)) return last
    at.push(fresh)
    return fresh
  }
  if (!Object.hasOwn(at, step)) at[step] = fresh
  const there = at[step]
  if (typeof there !== 'object' || there === null || Array.isArray(there) !== Array.isArray(fresh)) throw clash(key)
  return there as Container
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function clash(key: string): GhError {
  return new GhError(`the field "${key}" contradicts an earlier one`)
}
