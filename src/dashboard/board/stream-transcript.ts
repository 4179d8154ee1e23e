// The transcript of a session whose runtime uses events, for one reader of the stream: its end first, then what happens. A
// growing message is sent as a whole, a few times a second at most. Earlier messages are requested by the page.
import type { TranscriptMessage } from '../../contract/agh/transcript.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { lastPart } from '../../core/agh/transcript/pages.ts'
import { sleep } from '../../lib/clock.ts'
import type { KeptTranscript, KeptTranscripts } from './kept-transcripts.ts'
import type { BoardKeeper } from './live-board.ts'
import type { Reader } from './stream-reader.ts'

export interface TranscriptOptions {
  board: BoardKeeper
  transcripts: KeptTranscripts
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
/** The session may get a conversation, or the runtime may answer again. */
const AGAIN_MS = 1_000

/** Resolves when the reader is gone, or immediately for a session without a transcript. Never rejects. */
export async function followTranscript(options: TranscriptOptions): Promise<void> {
  const { signal, board, sessionId, transcripts } = options
  while (!signal.aborted) {
    try {
      await transcripts.use(sessionId, (kept) => serve(options, kept))
    } catch (error) {
      // It has a terminal instead.
      if (error instanceof AoError && error.code === 'STATE_REFUSED') return
      board.context().log.debug(`the transcript of ${sessionId} is not streamed right now: ${errorText(error)}`)
    }
    await sleep(AGAIN_MS, { signal })
  }
}

/** Until the reader is gone. What it has is compared and what follows is listened for in one step: nothing gets between. */
async function serve({ reader, wake, signal }: TranscriptOptions, kept: KeptTranscript): Promise<void> {
  const has = reader.transcript
  if (has === 0) {
    const { messages, older } = lastPart(kept.messages)
    reader.addMessages(structuredClone(messages), kept.lastSequence, older)
  } else {
    const missed = kept.messages.filter(({ last_sequence }) => last_sequence > has)
    reader.addMessages(structuredClone(missed), kept.lastSequence)
  }
  wake()
  let grown = new Map<string, TranscriptMessage>()
  let isDue = false
  const notify = () => {
    isDue = false
    if (signal.aborted) return
    // A copy: the fold continues to change its own.
    reader.addMessages(structuredClone([...grown.values()]), kept.lastSequence)
    grown = new Map()
    wake()
  }
  const end = kept.listen((message) => {
    grown.set(message.id, message)
    if (!isDue) setTimeout(notify, paceOf(message))
    isDue = true
  })
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  end()
}

function paceOf(message: TranscriptMessage): number {
  return Math.min(LONGEST_PACE_MS, PUBLISH_MS + JSON.stringify(message).length / BYTES_PER_MS)
}
