// Where a chat of Gemini's can be cut, and its lines in a copy. Pure.
import { textField } from '../../core/text/json-fields.ts'
import type { CutRules } from '../agent-files/cut-records.ts'
import { enteredText } from './chat.ts'

export const chatCut: CutRules = {
  enteredText,
  directory: (record) => textField(record, 'projectHash'),
  copied: (record, { id }) => (record.projectHash === undefined ? record : { ...record, sessionId: id }),
}

const MINUTE_MS = 60_000

/** Gemini names a file after the minute, and would overwrite one of the minute in which it resumes it. */
export function copiedName(id: string, now: Date): string {
  const minute = new Date(now.getTime() - 2 * MINUTE_MS).toISOString().slice(0, 16).replace(':', '-')
  return `session-${minute}-${id.slice(0, 8)}.jsonl`
}
