// Does an agent's own session file show a message? A hook on prompts does not: it is called before the hooks of the user have
// decided whether the model gets the message.
import { type JsonObject, timeField } from '../../core/text/json-fields.ts'
import { readTailUntil } from '../../lib/read-jsonl.ts'
import type { Seen } from '../../slots/agent.ts'
import { holdsMessage } from './message-text.ts'

export interface MessageRecords {
  /** The agent's session file; undefined: there is none yet. */
  file: string | undefined
  /** What a person entered, if the record contains it. */
  enteredText(record: JsonObject): string | null
  /** What a person entered and a hook refused, if the record says so. */
  refusedText?(record: JsonObject): string | null
}

export async function recordsShow(
  { file, enteredText, refusedText }: MessageRecords,
  text: string,
  since: Date,
): Promise<Seen> {
  if (file === undefined) return false
  const tail = await readTailUntil(file, ({ records }) =>
    records.some((record) => (timeField(record, 'timestamp') ?? since) < since),
  )
  const records = (tail?.records ?? []).filter((record) => (timeField(record, 'timestamp') ?? NEVER) >= since)
  if (records.some((record) => holdsMessage(enteredText(record) ?? '', text))) return true
  return records.some((record) => holdsMessage(refusedText?.(record) ?? '', text)) ? 'refused' : false
}

const NEVER = new Date(0)
