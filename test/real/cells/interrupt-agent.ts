// Ends an agent's turn as a person does: with the agent's own keys in its terminal, or `agh session cancel`.
import { setTimeout as delay } from 'node:timers/promises'
import { atTerminal, BETWEEN_MS } from './at-terminal.ts'
import type { Life } from './session-life.ts'

const ESCAPE = '\u001b'

/** What a person does: Escape, and once more if the agent continues. Some want it twice. */
const MOST_PRESSES = 4

export async function interruptAgent(life: Life, isOver: () => boolean): Promise<void> {
  if (life.runtime === 'acp') return life.cancelOverAcp()
  await atTerminal(life, async ({ press }) => {
    for (let n = 0; n < MOST_PRESSES && !isOver(); n++) {
      press(ESCAPE)
      await delay(BETWEEN_MS)
    }
  })
}
