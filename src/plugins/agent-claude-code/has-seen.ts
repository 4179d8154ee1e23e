// Do Claude's own records show a message? A prompt is in the UserPromptSubmit hook and in the transcript; one entered
// while Claude works is in the transcript as a queue operation first.
import { readHookEvents } from '../agent-files/hook-events.ts'
import { textField, timeField } from '../agent-files/json-fields.ts'
import { holdsMessage } from '../agent-files/message-text.ts'
import { type JsonObject, readTailUntil } from '../agent-files/read-jsonl.ts'
import type { Transcript } from './find-transcripts.ts'
import { promptText } from './transcript-events.ts'

export async function hasSeen(
  where: { stateDir: string; transcript: Transcript | undefined },
  text: string,
  since: Date,
): Promise<boolean> {
  const events = await readHookEvents(where.stateDir, (found) => (found[0]?.at ?? since) < since)
  const inHooks = events.some(
    ({ event, at, payload }) =>
      event === 'UserPromptSubmit' && at >= since && holdsMessage(textField(payload, 'prompt') ?? '', text),
  )
  if (inHooks) return true
  if (!where.transcript) return false
  const tail = await readTailUntil(where.transcript.path, ({ records }) => reaches(records, since))
  return (tail?.records ?? []).some((record) => {
    const at = timeField(record, 'timestamp')
    return at !== null && at >= since && holdsMessage(enteredText(record) ?? '', text)
  })
}

function enteredText(record: JsonObject): string | null {
  if (record.type === 'user') return promptText(record)
  if (record.type === 'queue-operation' && record.operation === 'enqueue') return textField(record, 'content')
  return null
}

function reaches(records: readonly JsonObject[], since: Date): boolean {
  return records.some((record) => {
    const at = timeField(record, 'timestamp')
    return at !== null && at < since
  })
}
