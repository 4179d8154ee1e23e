// The conversations that somebody views, each folded once for all of its readers: what is stored in large pages, then what
// happens. Kept for a while after the last reader has left: a reloaded page comes back immediately.
import type { SessionEvent } from '../../contract/agh/events.ts'
import type { TranscriptMessage } from '../../contract/agh/transcript.ts'
import { errorText } from '../../contract/errors.ts'
import { emptyTranscript, foldEvent, type Transcript } from '../../core/agh/transcript/transcript.ts'
import { sleep } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'

export interface KeptTranscript {
  /** Everything so far, in order. It grows: what is kept has to be copied. */
  readonly messages: readonly TranscriptMessage[]
  readonly lastSequence: number
  /** Called with every message that is new or has grown. */
  listen(take: (message: TranscriptMessage) => void): () => void
}

export interface KeptTranscripts {
  /**
   * Runs `work` with the conversation, which is followed until then. STATE_REFUSED: the session has a terminal. Rejects when
   * it cannot be read.
   */
  use<T>(sessionId: string, work: (kept: KeptTranscript) => T | Promise<T>): Promise<T>
  close(): void
}

export interface TranscriptsOptions {
  /** Which conversation a session has now. */
  keyOf(sessionId: string): string
  /** The next stored events after this one; none: there are no more. */
  read(sessionId: string, after: number): Promise<SessionEvent[]>
  /** What happens after this event. Ends with the session or the signal. */
  follow(sessionId: string, how: { after: number; signal: AbortSignal }): AsyncIterable<SessionEvent>
  /** It may happen again: it is not over, or it was restored. */
  mayContinue(sessionId: string): boolean
  log: Pick<Log, 'debug'>
}

const LINGER_MS = 30_000
/** The session may run again, or the runtime may answer again. */
const AGAIN_MS = 1_000

interface Kept extends KeptTranscript {
  users: number
  read: Promise<void>
  stop: AbortController
  leaving: NodeJS.Timeout | null
}

export function createKeptTranscripts(options: TranscriptsOptions): KeptTranscripts {
  const all = new Map<string, Kept>()
  const drop = (key: string, kept: Kept) => {
    kept.stop.abort()
    if (kept.leaving !== null) clearTimeout(kept.leaving)
    if (all.get(key) === kept) all.delete(key)
  }
  return {
    async use(sessionId, work) {
      const key = options.keyOf(sessionId)
      const kept = all.get(key) ?? open(options, sessionId)
      all.set(key, kept)
      if (kept.leaving !== null) clearTimeout(kept.leaving)
      kept.leaving = null
      kept.users += 1
      try {
        // One that could not be read to its end is read anew by the next one.
        await kept.read.catch((error) => {
          drop(key, kept)
          throw error
        })
        return await work(kept)
      } finally {
        kept.users -= 1
        if (kept.users === 0 && !kept.stop.signal.aborted) {
          kept.leaving = setTimeout(() => drop(key, kept), LINGER_MS)
          kept.leaving.unref()
        }
      }
    },
    close() {
      for (const [key, kept] of all) drop(key, kept)
    },
  }
}

function open(options: TranscriptsOptions, sessionId: string): Kept {
  const transcript = emptyTranscript()
  const listeners = new Set<(message: TranscriptMessage) => void>()
  const stop = new AbortController()
  const kept: Kept = {
    users: 0,
    stop,
    leaving: null,
    read: readStored(options, sessionId, transcript),
    messages: transcript.messages,
    get lastSequence() {
      return transcript.lastSequence
    },
    listen(take) {
      listeners.add(take)
      return () => listeners.delete(take)
    },
  }
  kept.read.then(
    () =>
      follow(options, sessionId, {
        transcript,
        signal: stop.signal,
        onMessage: (message) => {
          for (const take of listeners) take(message)
        },
      }),
    // Whoever asked for it gets the reason by `read`.
    () => undefined,
  )
  return kept
}

async function readStored(options: TranscriptsOptions, sessionId: string, transcript: Transcript): Promise<void> {
  for (;;) {
    const before = transcript.lastSequence
    for (const event of await options.read(sessionId, before)) foldEvent(transcript, event)
    if (transcript.lastSequence === before) return
  }
}

interface Following {
  transcript: Transcript
  signal: AbortSignal
  onMessage(message: TranscriptMessage): void
}

/** Until the signal. Never rejects. */
async function follow(options: TranscriptsOptions, sessionId: string, following: Following): Promise<void> {
  const { transcript, signal, onMessage } = following
  while (!signal.aborted) {
    try {
      const after = transcript.lastSequence
      for await (const event of options.follow(sessionId, { after, signal })) {
        const message = foldEvent(transcript, event)
        if (message !== null) onMessage(message)
      }
      // It is over: nothing follows until it runs again.
      while (!signal.aborted && !options.mayContinue(sessionId)) await sleep(AGAIN_MS, { signal, ref: false })
    } catch (error) {
      options.log.debug(`the transcript of ${sessionId} is not followed right now: ${errorText(error)}`)
    }
    await sleep(AGAIN_MS, { signal, ref: false })
  }
}
