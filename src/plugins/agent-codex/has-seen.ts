// Do Codex's own records show a message? It is in the UserPromptSubmit hook and in the rollout.
import { recordsShow } from '../agent-files/records-show.ts'
import type { Rollout } from './find-rollout.ts'
import { enteredText } from './rollout-events.ts'

export function hasSeen(
  { stateDir, rollout }: { stateDir: string; rollout: Rollout | null },
  text: string,
  since: Date,
): Promise<boolean> {
  return recordsShow({ stateDir, file: rollout?.path, enteredText }, text, since)
}
