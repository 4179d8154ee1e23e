// A duration as a person writes it. Apart from the schemas that use it, because short commands read one without a schema.

/** `90s`, `10m`, `1h30m`, `250ms`; a bare 0 turns it off. */
export const DURATION = /^(?:0|(?:\d+(?:ms|s|m|h))+)$/

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

export function isDuration(text: string): boolean {
  return DURATION.test(text)
}

export function durationMs(text: string): number {
  let total = 0
  for (const [, count, unit] of text.matchAll(/(?<!\d)(\d+)(ms|s|m|h)/g)) total += Number(count) * UNIT_MS[unit!]!
  return total
}
