// `30s`, `15m`, `2h` as milliseconds; null for anything else.

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const

export function parseDuration(text: string): number | null {
  const match = /^([0-9]{1,9})([smh])$/.exec(text)
  return match ? Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS] : null
}
