// Ends an agent's turn as a person does: with the agent's own keys in its terminal, or `agh session cancel`.
import { setTimeout as delay } from 'node:timers/promises'
import { interruptKeys } from '../../../src/contract/agents/agent-table.ts'
import { atTerminal, BETWEEN_MS } from './at-terminal.ts'
import type { Life } from './session-life.ts'

/** What a person does: the agent's key, and once more if the agent continues. */
const MOST_PRESSES = 4
const KEYS_MS = 100

export async function interruptAgent(life: Life, isOver: () => boolean): Promise<void> {
  if (life.runtime === 'acp') return life.cancelOverAcp()
  await atTerminal(life, async ({ press }) => {
    for (let n = 0; n < MOST_PRESSES && !isOver(); n++) {
      for (const key of interruptKeys(life.agent.ao)!) {
        press(key)
        await delay(KEYS_MS)
      }
      await delay(BETWEEN_MS)
    }
  })
}
