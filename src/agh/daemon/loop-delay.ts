// How long the daemon's event loop was blocked, over the last whole window. Not measured while no session is live.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { LoopDelay } from '../../contract/agh/answers.ts'

const WINDOW_MS = 10_000
const RESOLUTION_MS = 10

export interface LoopMonitor {
  /** null: no session has been live for a whole window yet. */
  latest(): LoopDelay | null
  close(): void
}

export function monitorLoop(isBusy: () => boolean, now: () => Date): LoopMonitor {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  let latest: LoopDelay | null = null
  let measuring = false
  const timer = setInterval(() => {
    // The histogram records the time between two samples, which includes the sampling interval itself.
    const delay = (ns: number) => Math.max(0, Math.round((ns / 1e6 - RESOLUTION_MS) * 10) / 10)
    if (measuring) {
      latest = {
        measured_at: now().toISOString(),
        window_seconds: WINDOW_MS / 1_000,
        p50_ms: delay(histogram.percentile(50)),
        p99_ms: delay(histogram.percentile(99)),
        max_ms: delay(histogram.max),
      }
    }
    histogram.reset()
    measuring = isBusy()
    if (measuring) histogram.enable()
    else histogram.disable()
  }, WINDOW_MS)
  timer.unref()
  return {
    latest: () => latest,
    close() {
      clearInterval(timer)
      histogram.disable()
    },
  }
}
