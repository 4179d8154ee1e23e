// How long ago, kept current by one clock for the whole page: the server's, because its times are shown.
import { useSyncExternalStore } from 'react'
import { formatAge, formatAgo, formatDateTime } from './format.ts'

interface Props {
  at: string
  className?: string
  /** In a sentence: "3m ago", "just now". */
  ago?: boolean
}

/** Short: "3m". The full time is in the tooltip and machine-readable. */
export function TimeAgo({ at, className = '', ago = false }: Props) {
  const now = useNow()
  const time = new Date(at)
  return (
    <time dateTime={at} title={formatDateTime(time)} className={className}>
      {ago ? formatAgo(now - time.getTime()) : formatAge(now - time.getTime())}
    </time>
  )
}

const listeners = new Set<() => void>()
/** How far this computer's clock is behind the server's. */
let offset = 0
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

/** Transmission takes time: less than this is not a difference. */
const SAME_MS = 3_000

export function setServerTime(at: number): void {
  const difference = at - Date.now()
  if (Math.abs(difference - offset) <= SAME_MS) return
  offset = Math.abs(difference) > SAME_MS ? difference : 0
  tick()
}

function tick(): void {
  now = Date.now() + offset
  for (const listener of listeners) listener()
}
