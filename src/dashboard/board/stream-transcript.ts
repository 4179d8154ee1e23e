// Follows the transcript of a session whose runtime uses events, for one reader of the stream. A growing message is sent as
// a whole, a few times a second at most.
import type { TranscriptMessage } from '../../contract/agh/transcript.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { emptyTranscript, foldEvent } from '../../core/agh/transcript/transcript.ts'
import { sleep } from '../../lib/clock.ts'
import { followEvents } from '../../manager/observe/session-events.ts'
import type { BoardKeeper } from './live-board.ts'
import type { Reader } from './stream-reader.ts'

export interface TranscriptOptions {
  board: BoardKeeper
  sessionId: string
  reader: Reader
  wake(): void
  signal: AbortSignal
}

const PUBLISH_MS = 80
/**
 * It is sent as a whole each time, so less often the longer it is: a connection carries about a megabyte a second at most.
 */
const BYTES_PER_MS = 1_000
const LONGEST_PACE_MS = 1_000
/** The session may run again, or the runtime may answer again. */
const AGAIN_MS = 1_000

/** Resolves when the reader is gone, or immediately for a session without a transcript. Never rejects. */
export async function followTranscript(options: TranscriptOptions): Promise<void> {
  const { signal, board, sessionId } = options
  const teller = createTeller(options)
  while (!signal.aborted) {
    try {
      const after = teller.lastSequence()
      for await (const event of followEvents(board.context(), sessionId, { after, signal })) teller.take(event)
      // It is over: nothing follows until it runs again.
      while (!signal.aborted && board.card(sessionId)?.can.send !== true) await sleep(AGAIN_MS, { signal })
    } catch (error) {
      // It has a terminal instead.
      if (error instanceof AoError && error.code === 'STATE_REFUSED') return
      board.context().log.debug(`the transcript of ${sessionId} is not streamed right now: ${errorText(error)}`)
    }
    await sleep(AGAIN_MS, { signal })
  }
}

interface Teller {
  take(event: Parameters<typeof foldEvent>[1]): void
  lastSequence(): number
}

/**
 * The fold begins at the first event, because a message consists of all of its events; only what the reader lacks is sent.
 */
function createTeller({ reader, wake, signal }: TranscriptOptions): Teller {
  const transcript = emptyTranscript()
  const has = reader.transcript
  let grown = new Map<string, TranscriptMessage>()
  let isDue = false
  const notify = () => {
    isDue = false
    if (signal.aborted) return
    // A copy: the fold continues to change its own.
    reader.addMessages(structuredClone([...grown.values()]), transcript.lastSequence)
    grown = new Map()
    wake()
  }
  return {
    lastSequence: () => transcript.lastSequence,
    take(event) {
      const message = foldEvent(transcript, event)
      if (message === null || message.last_sequence <= has) return
      grown.set(message.id, message)
      if (!isDue) setTimeout(notify, paceOf(message))
      isDue = true
    },
  }
}

function paceOf(message: TranscriptMessage): number {
  return Math.min(LONGEST_PACE_MS, PUBLISH_MS + JSON.stringify(message).length / BYTES_PER_MS)
}
