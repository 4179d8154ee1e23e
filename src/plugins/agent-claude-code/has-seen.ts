// Do Claude's own records show a message? A prompt is in the UserPromptSubmit hook and in the transcript; one entered
// while Claude works is in the transcript as a queue operation first.
import { textField } from '../agent-files/json-fields.ts'
import type { JsonObject } from '../agent-files/read-jsonl.ts'
import { recordsShow } from '../agent-files/records-show.ts'
import type { Transcript } from './find-transcripts.ts'
import { promptText } from './transcript-events.ts'

export function hasSeen(
  { stateDir, transcript }: { stateDir: string; transcript: Transcript | undefined },
  text: string,
  since: Date,
): Promise<boolean> {
  return recordsShow({ stateDir, file: transcript?.path, enteredText }, text, since)
}

function enteredText(record: JsonObject): string | null {
  if (record.type === 'user') return promptText(record)
  if (record.type === 'queue-operation' && record.operation === 'enqueue') return textField(record, 'content')
  return null
}
