// What a person has begun to type is neither sent nor joined with a message.
import { waitFor } from '../../support/wait-for.ts'
import { atTerminal } from './at-terminal.ts'
import { type Cell, untilFree } from './outcome.ts'

const ENTER = '\r'

export const draft: Cell = {
  name: "a person's draft is not joined with a message",
  async run(life) {
    if (life.runtime === 'acp') return { verdict: 'none', note: 'it has no input line' }
    await untilFree(life)
    const unique = `n${Date.now().toString(36)}`
    const typed = `a draft ${unique}`
    const message = `a message ${unique}`
    await atTerminal(life, async ({ press, sees }) => {
      press(typed)
      await sees(typed)
    })
    const receipt = await life.send(message)
    if (life.model.heard(unique) > 0) return { verdict: 'no', note: `something was sent: ${receipt.level}` }
    if (receipt.level !== 'held') return { verdict: 'no', note: `it was not held: ${receipt.level}: ${receipt.why}` }
    await atTerminal(life, async ({ press }) => {
      press(ENTER)
      await waitFor('the draft', () => life.model.heard(typed) > 0, 15_000).catch(() => undefined)
      life.noteEvent()
    })
    const step = await life.stepWith(message, 30_000).catch(() => null)
    const entered = step?.userTexts ?? []
    const isTogether = entered.some((text) => text.includes(typed) && text.includes(message))
    const isApart = !isTogether && entered.some((text) => text.trimEnd().endsWith(typed))
    if (!step) return { verdict: 'no', note: 'the message never arrived' }
    return isApart
      ? { verdict: 'yes', note: 'held, then both arrived apart' }
      : { verdict: 'no', note: `not apart: ${JSON.stringify(entered.slice(-2)).slice(0, 160)}` }
  },
}
