// How long ago, kept true by one clock for the whole page.
import { useSyncExternalStore } from 'react'
import { formatAge } from './format.ts'

/** Short: "3m". The full time is in the tooltip and for machines. */
export function TimeAgo({ at, className = '' }: { at: string; className?: string }) {
  const now = useNow()
  const time = new Date(at)
  return (
    <time dateTime={at} title={time.toLocaleString()} className={className}>
      {formatAge(now - time.getTime())}
    </time>
  )
}

const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | null = null

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, 10_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }
}

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}
