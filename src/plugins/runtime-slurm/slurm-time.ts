// Times as Slurm writes and takes them.

/** Seconds; null: not a time. */
export function slurmSeconds(text: string): number | null {
  if (/^(?:unlimited|infinite)$/i.test(text)) return Number.POSITIVE_INFINITY
  const [, days, ...found] = /^(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?$/.exec(text) ?? []
  const parts = found.flatMap((part) => (part === undefined ? [] : [Number(part)]))
  if (parts.length === 0) return null
  const [a = 0, b = 0, c = 0] = parts
  if (days !== undefined) return Number(days) * 86_400 + a * 3600 + b * 60 + c
  return parts.length === 3 ? a * 3600 + b * 60 + c : a * 60 + b
}
