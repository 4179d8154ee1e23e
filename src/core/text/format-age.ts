// Durations, money and counts in a few characters.

/** `12s`, `5m`, `3h`, `2d`: the largest unit is enough. */
export function formatAge(from: Date, now: Date): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - from.getTime()) / 1000))
  if (!Number.isFinite(seconds)) return '?'
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}

/** `12 min`, `3 h`, `2 days`: of what was estimated or summed up. */
export function formatRoughly(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 90) return `${minutes} min`
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1_440)} days`
}

/** An unknown price is never shown as 0. */
export function formatCost(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return ''
  return usd > 0 && usd < 0.01 ? '<$0.01' : `$${usd.toFixed(2)}`
}

export function formatCount(count: number): string {
  if (count < 1000) return String(count)
  return count < 1_000_000 ? `${trimZero(count / 1000)}k` : `${trimZero(count / 1_000_000)}M`
}

/** The upper one of an even number; null: there are none. */
export function median(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null
}

export function plural(count: number, word: string, many = `${word}s`): string {
  return `${count} ${count === 1 ? word : many}`
}

function trimZero(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '')
}
