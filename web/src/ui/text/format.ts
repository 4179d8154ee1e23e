// Numbers and times as people read them. Unknown is a dash, never a zero.

export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 10) return 'now'
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 === 0 || hours >= 10 ? `${hours}h` : `${hours}h ${minutes % 60}m`
  return `${Math.floor(hours / 24)}d`
}

/** How long something took. */
export function formatDuration(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)}s` : formatAge(ms)
}

export function formatAgo(ms: number): string {
  const age = formatAge(ms)
  return age === 'now' ? 'just now' : `${age} ago`
}

/** 14:03, in the language of the browser but always with 24 hours: an hour that was misread is a wrong decision. */
export function formatTime(at: number | string | Date, { seconds = false } = {}): string {
  return new Date(at).toLocaleTimeString(undefined, { ...CLOCK, ...(seconds && { second: '2-digit' }) })
}

/** Nov 16, 2026: with the month's name, because 11/12 is two days. */
export function formatDate(at: number | string | Date): string {
  return new Date(at).toLocaleDateString(undefined, { dateStyle: 'medium' })
}

export function formatDateTime(at: number | string | Date): string {
  return `${formatDate(at)}, ${formatTime(at, { seconds: true })}`
}

/** Times of machines in a sentence, as this browser says them; those of another day with their date. */
export function withLocalTimes(text: string, now = new Date()): string {
  return text.replace(MACHINE_TIME, (time) => {
    const at = new Date(time)
    if (Number.isNaN(at.getTime())) return time
    return at.toDateString() === now.toDateString() ? formatTime(at) : `${formatDate(at)}, ${formatTime(at)}`
  })
}

const MACHINE_TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const

export function formatCost(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return '–'
  if (usd > 0 && usd < 0.01) return '<$0.01'
  return `$${usd.toFixed(2)}`
}

export function formatCount(count: number): string {
  if (count < 1_000) return String(count)
  if (count < 1_000_000) return `${(count / 1_000).toFixed(count < 10_000 ? 1 : 0)}k`
  return `${(count / 1_000_000).toFixed(1)}M`
}
