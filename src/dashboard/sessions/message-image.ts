// A picture in a conversation, from the event that brought it.
import { AoError } from '../../contract/errors.ts'
import { imagesIn } from '../../core/agh/transcript/read-content.ts'
import { MOST_IMAGE_BYTES } from '../../git/diff/image-at.ts'
import { followEvents } from '../../manager/observe/session-events.ts'
import type { DashboardContext } from '../server/context.ts'

const WAIT_MS = 10_000

/** null: that event has none. `index`: the n-th picture of the event. */
export async function messageImage(
  context: DashboardContext,
  sessionId: string,
  { sequence, index }: { sequence: string; index: string },
): Promise<Buffer | null> {
  if (!/^[1-9][0-9]{0,14}$/.test(sequence) || !/^[0-9]{1,3}$/.test(index)) {
    throw new AoError('USAGE', 'A picture is named by the number of its event and its index in it')
  }
  const wanted = Number(sequence)
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), WAIT_MS)
  try {
    for await (const event of followEvents(context, sessionId, { after: wanted - 1, signal: stop.signal })) {
      if (event.sequence !== wanted) return null
      const data = imagesIn(event.content)[Number(index)]
      if (data === undefined || data.length > (MOST_IMAGE_BYTES * 4) / 3) return null
      return Buffer.from(data, 'base64')
    }
    return null
  } finally {
    clearTimeout(timer)
    stop.abort()
  }
}
