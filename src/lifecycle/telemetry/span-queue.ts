// Spans on their way to a collector. Whoever adds one never waits: what does not fit is dropped and counted, and a collector that
// does not answer is tried again later, less and less often.
import { errorText } from '../../contract/errors.ts'
import { type Span, type TelemetrySource, toOtlp } from '../../core/telemetry/otlp.ts'
import { sleep } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { measure } from '../../lib/measures.ts'

export interface SpanQueue {
  add(span: Span): void
  /** Sends what is there, once, within this time; the rest is dropped. */
  close(graceMs: number): Promise<void>
}

export interface QueueOptions {
  source: TelemetrySource
  /** Resolves with the status of the response; rejects when there was none. */
  post(body: string): Promise<number>
  log: Pick<Log, 'warn' | 'info'>
  most?: number
  everyMs?: number
}

const MOST = 2_048
const BATCH = 512
const EVERY_MS = 5_000
const LONGEST_PAUSE_MS = 60_000
/** Worth another try, says the protocol. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504])

export function createSpanQueue({ source, post, log, most = MOST, everyMs = EVERY_MS }: QueueOptions): SpanQueue {
  const waiting: Span[] = []
  let pause = everyMs
  let sending: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  let complained = ''
  let isClosed = false

  const count = (outcome: 'sent' | 'dropped', spans: number) => {
    if (spans > 0) measure('telemetry', { outcome, spans })
  }
  const complain = (why: string) => {
    if (why !== complained) log.warn(`spans could not be exported: ${why}`)
    complained = why
  }
  const schedule = () => {
    if (isClosed || timer !== null || waiting.length === 0) return
    timer = setTimeout(() => {
      timer = null
      sending ??= send().finally(() => {
        sending = null
        schedule()
      })
    }, pause)
    timer.unref()
  }
  /** 0: there was no response. */
  async function tryPost(batch: readonly Span[]): Promise<number> {
    try {
      return await post(JSON.stringify(toOtlp(batch, source)))
    } catch (error) {
      complain(errorText(error))
      return 0
    }
  }
  async function send(): Promise<void> {
    const batch = waiting.slice(0, BATCH)
    if (batch.length === 0) return
    const status = await tryPost(batch)
    const isTaken = status >= 200 && status < 300
    if (!isTaken && (status === 0 || PASSING.has(status))) {
      if (status !== 0) complain(`the collector answered ${status}`)
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
      return
    }
    pause = everyMs
    // Some of them may have been dropped meanwhile, from the front.
    const left = new Set(batch)
    const before = waiting.length
    waiting.splice(0, waiting.length, ...waiting.filter((span) => !left.has(span)))
    count(isTaken ? 'sent' : 'dropped', isTaken ? batch.length : before - waiting.length)
    if (!isTaken) return complain(`the collector answered ${status}`)
    if (complained !== '') log.info('spans are exported again')
    complained = ''
  }
  return {
    add(span) {
      if (isClosed) return
      waiting.push(span)
      if (waiting.length > most) count('dropped', waiting.splice(0, waiting.length - most).length)
      schedule()
    },
    async close(graceMs) {
      isClosed = true
      if (timer !== null) clearTimeout(timer)
      const last = (sending ?? Promise.resolve()).then(send)
      await Promise.race([last, sleep(graceMs, { ref: false })])
      count('dropped', waiting.splice(0).length)
    },
  }
}
