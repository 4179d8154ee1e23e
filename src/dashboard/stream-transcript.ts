// Follows the transcript of a session whose runtime speaks in events, for one reader of the stream. A message that grows is
// told a few times a second at most, whole.
import type { TranscriptMessage } from '../contract/agh/transcript.ts'
import { errorText } from '../contract/errors.ts'
import type { RuntimeHandle } from '../contract/session.ts'
import { emptyTranscript, foldEvent, type Transcript } from '../core/agh/transcript.ts'
import { findActive, findArchived } from '../manager/find-session.ts'
import type { SessionEvents } from '../slots/session-events.ts'
import { metadataToSession } from '../store/metadata-to-session.ts'
import type { BoardKeeper } from './board.ts'
import type { Reader } from './stream-reader.ts'

export interface TranscriptOptions {
  board: BoardKeeper
  sessionId: string
  reader: Reader
  wake(): void
  signal: AbortSignal
}

const TELL_MS = 80
/** The session may run again, or the runtime may answer again. */
const AGAIN_MS = 1_000

/** Resolves when the reader has gone, or at once for a session without a transcript. Never rejects. */
export async function followTranscript(options: TranscriptOptions): Promise<void> {
  const { signal, board, sessionId, reader } = options
  const fold = { transcript: emptyTranscript(), has: reader.transcript }
  while (!signal.aborted) {
    try {
      const source = await findSource(board, sessionId)
      if (source === null) return
      await followOnce(options, source, fold)
      // It is over: nothing comes until it runs again.
      while (!signal.aborted && board.card(sessionId)?.can.send !== true) await pause(AGAIN_MS, signal)
    } catch (error) {
      board.context().log.debug(`the transcript of ${sessionId} is not told just now: ${errorText(error)}`)
    }
    await pause(AGAIN_MS, signal)
  }
}

interface Source {
  events: SessionEvents
  handle: RuntimeHandle
}

async function findSource(board: BoardKeeper, sessionId: string): Promise<Source | null> {
  const context = board.context()
  const pairs = findActive(context, sessionId)?.stored.pairs ?? findArchived(context, sessionId)?.pairs
  const handle = pairs === undefined ? null : metadataToSession(sessionId, pairs).runtimeHandle
  if (handle === null) return null
  await context.registry.ensure('runtime', handle.runtimeName)
  const events = context.registry.get('runtime', handle.runtimeName)?.events
  return events === undefined ? null : { events, handle }
}

interface Fold {
  transcript: Transcript
  /** The sequence that the reader came with. */
  has: number
}

/** The fold begins at the first event, because a message is made of all of its events; only what the reader lacks is told. */
async function followOnce({ reader, wake, signal }: TranscriptOptions, source: Source, fold: Fold): Promise<void> {
  const { transcript, has } = fold
  let grown = new Map<string, TranscriptMessage>()
  let timer: NodeJS.Timeout | null = null
  const tell = () => {
    timer = null
    // A copy: the fold goes on changing its own.
    reader.addMessages(structuredClone([...grown.values()]), transcript.lastSequence)
    grown = new Map()
    wake()
  }
  try {
    for await (const event of source.events.follow(source.handle, transcript.lastSequence, signal)) {
      const message = foldEvent(transcript, event)
      if (message === null || message.last_sequence <= has) continue
      grown.set(message.id, message)
      timer ??= setTimeout(tell, TELL_MS)
    }
  } finally {
    if (timer !== null) clearTimeout(timer)
    if (grown.size > 0) tell()
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}
