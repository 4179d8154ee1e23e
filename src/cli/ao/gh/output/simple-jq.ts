// The part of jq that is used with gh every day: paths, `[]`, indexes, `length`, `|`. Pure.
import { GhError } from '../gh-error.ts'

/** Lines as `jq --raw-output` prints them. */
export function simpleJq(value: unknown, expression: string): string[] {
  let values = [value]
  for (const part of expression.split('|').map((one) => one.trim())) {
    values = values.flatMap((one) => applyPart(one, part))
  }
  return values.map((one) => (typeof one === 'string' ? one : (JSON.stringify(one) ?? 'null')))
}

const STEP = /^(?:\.([A-Za-z_][A-Za-z0-9_]*)|\.?\[(-?[0-9]*|"[^"]*")\])\??/

function applyPart(value: unknown, part: string): unknown[] {
  if (part === '.') return [value]
  if (part === 'length') return [lengthOf(value)]
  if (!part.startsWith('.')) throw unknownExpression(part)
  let values = [value]
  for (let rest = part; rest !== ''; ) {
    const match = STEP.exec(rest)
    if (!match) throw unknownExpression(part)
    const [whole, key, index] = match
    values = values.flatMap((one) =>
      takeStep(one, key ?? (index?.startsWith('"') ? index.slice(1, -1) : undefined), index),
    )
    rest = rest.slice(whole.length)
  }
  return values
}

function takeStep(value: unknown, key: string | undefined, index: string | undefined): unknown[] {
  if (value === null || value === undefined) return index === '' ? [] : [null]
  if (key !== undefined) return [(value as Record<string, unknown>)[key] ?? null]
  if (index === '') return Object.values(value)
  return [Array.isArray(value) ? (value.at(Number(index)) ?? null) : null]
}

function lengthOf(value: unknown): number {
  if (value === null || value === undefined) return 0
  if (typeof value === 'string' || Array.isArray(value)) return [...value].length
  return typeof value === 'object' ? Object.keys(value).length : Number(value)
}

function unknownExpression(part: string): GhError {
  return new GhError(`failed to parse jq expression: ${part} needs jq, which is not installed`)
}
