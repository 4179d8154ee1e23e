// Do Codex's own records show a message? It is in the UserPromptSubmit hook and in the rollout.
import { readHookEvents } from '../agent-files/hook-events.ts'
import { textField, timeField } from '../agent-files/json-fields.ts'
import { holdsMessage } from '../agent-files/message-text.ts'
import { readTailUntil } from '../agent-files/read-jsonl.ts'
import type { Rollout } from './find-rollout.ts'
import { enteredText } from './rollout-events.ts'

export async function hasSeen(
  where: { stateDir: string; rollout: Rollout | null },
  text: string,
  since: Date,
): Promise<boolean> {
  const events = await readHookEvents(where.stateDir, (found) => (found[0]?.at ?? since) < since)
  const inHooks = events.some(
    ({ event, at, payload }) =>
      event === 'UserPromptSubmit' && at >= since && holdsMessage(textField(payload, 'prompt') ?? '', text),
  )
  if (inHooks) return true
  if (!where.rollout) return false
  const tail = await readTailUntil(where.rollout.path, ({ records }) =>
    records.some((record) => (timeField(record, 'timestamp') ?? since) < since),
  )
  return (tail?.records ?? []).some((record) => {
    const at = timeField(record, 'timestamp')
    return at !== null && at >= since && holdsMessage(enteredText(record) ?? '', text)
  })
}
