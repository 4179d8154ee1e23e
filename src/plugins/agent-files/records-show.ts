// Do an agent's own records show a message? It is in the UserPromptSubmit hook, or in the agent's session file.
import { readHookEvents } from './hook-events.ts'
import { textField, timeField } from './json-fields.ts'
import { holdsMessage } from './message-text.ts'
import { type JsonObject, readTailUntil } from './read-jsonl.ts'

export interface MessageRecords {
  stateDir: string
  /** The agent's session file; undefined: there is none yet. */
  file: string | undefined
  /** What a person entered, if the record contains it. */
  enteredText(record: JsonObject): string | null
}

export async function recordsShow(where: MessageRecords, text: string, since: Date): Promise<boolean> {
  const events = await readHookEvents(where.stateDir, (found) => (found[0]?.at ?? since) < since)
  const inHooks = events.some(
    ({ event, at, payload }) =>
      event === 'UserPromptSubmit' && at >= since && holdsMessage(textField(payload, 'prompt') ?? '', text),
  )
  if (inHooks) return true
  if (where.file === undefined) return false
  const tail = await readTailUntil(where.file, ({ records }) =>
    records.some((record) => (timeField(record, 'timestamp') ?? since) < since),
  )
  return (tail?.records ?? []).some((record) => {
    const at = timeField(record, 'timestamp')
    return at !== null && at >= since && holdsMessage(where.enteredText(record) ?? '', text)
  })
}
