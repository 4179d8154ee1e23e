// The kinds of values that keys of the configuration have.
import type { ZodMiniType } from 'zod/mini'
import { AMOUNT } from '../budget.ts'
import type { SlotName } from '../ids.ts'
import { type Entry, type OutputOf, schemaOf, type Value, type Zod } from './key.ts'

export const text: Value<string> = { schema: (z) => z.string(), input: 'text', fromText: (written) => written }
export const texts: Value<string[]> = { schema: (z) => z.array(z.string()), input: 'lines' }
export const flag: Value<boolean> = { schema: (z) => z.boolean(), input: 'switch' }

export const filledText: Value<string> = {
  ...text,
  schema: (z) => z.string().check(z.minLength(1, 'must not be empty')),
}

export function oneOf<const T extends string>(choices: readonly T[]): Value<T> {
  return { schema: (z) => z.enum(choices), input: 'choice', choices }
}

/** The name of a plugin that fills this slot. */
export function pluginName(slot: SlotName): Value<string> {
  return { ...text, input: 'choice', slot }
}

export function wholeNumber(from: number, to: number = Number.MAX_SAFE_INTEGER): Value<number> {
  return {
    schema: (z) => z.int().check(z.minimum(from), z.maximum(to)),
    input: 'number',
    fromText: readNumber(from, to, true),
  }
}

export function numberBetween(from: number, to: number): Value<number> {
  return {
    schema: (z) => z.number().check(z.minimum(from), z.maximum(to)),
    input: 'number',
    fromText: readNumber(from, to, false),
  }
}

function readNumber(from: number, to: number, whole: boolean) {
  return (written: string): number => {
    const value = /^\d+(?:\.\d+)?$/.test(written) ? Number(written) : Number.NaN
    if (value >= from && value <= to && (!whole || Number.isInteger(value))) return value
    throw new Error(`must be a ${whole ? 'whole ' : ''}number from ${from} to ${to}, not ${JSON.stringify(written)}`)
  }
}

/** More than 0; `most` and its message where there is one. */
export function seconds(message: string, most?: [number, string]): Value<number> {
  return {
    schema: (z) => z.number().check(z.positive(message), ...(most ? [z.maximum(...most)] : [])),
    input: 'number',
  }
}

export const duration: Value<string> = {
  ...text,
  schema: (z) =>
    z.string().check(z.regex(/^[0-9]{1,9}[smh]$/, 'must be a duration: a whole number with s, m or h, such as 30m')),
}

export const cron: Value<string> = {
  ...text,
  schema: (z) =>
    z
      .string()
      .check(
        z.regex(
          /^(?:@(?:hourly|daily|weekly|monthly|yearly)|[-0-9A-Za-z*/,#?]+(?: +[-0-9A-Za-z*/,#?]+){4})$/,
          "must be a time: five fields of cron, such as '0 3 * * 1-5'",
        ),
      ),
}

export const textOrNumber: Value<string | number> = {
  schema: (z) => z.union([z.string().check(z.minLength(1)), z.number()], 'must be a text or a number'),
}

export const amount: Value<string | number> = {
  input: 'text',
  schema: (z) =>
    z.union(
      [
        z.number().check(z.positive('must be greater than 0')),
        z.string().check(z.regex(AMOUNT, 'must be an amount such as 5 USD')),
      ],
      'must be an amount such as 5 USD',
    ),
}

export function textOrTexts(message: string): Value<string | string[]> {
  return { schema: (z) => z.union([z.string(), z.array(z.string())], message) }
}

export const textByName: Value<Record<string, string>> = { schema: (z) => z.record(z.string(), z.string()) }

/** A safe name (ids.ts) that also cannot be mistaken for an option when used as an argument. */
export const safeName = (what: string) => (z: Zod) =>
  z
    .string()
    .check(
      z.regex(
        /^[A-Za-z0-9_][A-Za-z0-9_-]*$/,
        `${what} may hold letters, digits, - and _ only, and does not begin with -`,
      ),
      z.maxLength(128, `${what} may have 128 characters at most`),
    )

export const anyName = (z: Zod) => z.string()

export function listOf<E extends Entry>(
  entry: E,
  check: (z: Zod, list: ZodMiniType) => ZodMiniType = (_, list) => list,
): Value<Array<OutputOf<E>>> {
  return { schema: (z) => check(z, z.array(schemaOf({ ...entry, required: true }, z))) }
}
