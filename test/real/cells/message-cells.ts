// What is sent arrives: the task, and messages of every kind.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentRow } from '../../../src/contract/agents/agent-table.ts'
import type { SendReceipt } from '../../../src/contract/session.ts'
import { MESSAGE_DIRECTORY, messageFileName, messageFileText } from '../../../src/core/message/message-file.ts'
import { type Cell, type Outcome, seconds, untilFree } from './outcome.ts'
import type { Life } from './session-life.ts'

export const PASSWORD = 'blue-tiger-42'

export const start: Cell = {
  name: 'starts without a dialog; its prompt arrives exactly',
  async run(life) {
    const prompt = `Say ok. Keep in mind: the password is ${PASSWORD}`
    const began = Date.now()
    const spawned = await life.ao('spawn', '-p', 'app', '--prompt', prompt)
    if (spawned.code !== 0) return { verdict: 'no', note: spawned.stderr.trim().slice(0, 200) }
    const step = await life.stepWith(PASSWORD, 90_000)
    const note = `first request after ${seconds(step.askedAt - began)} s`
    const isExact = step.userTexts.some((text) => text.includes(prompt))
    return { verdict: isExact ? 'yes' : 'partly', note: isExact ? note : `${note}, text not exact` }
  },
}

function sendCell(name: string, text: (unique: string) => string): Cell {
  return {
    name: `send: ${name}`,
    async run(life) {
      await untilFree(life)
      const unique = `n${Date.now().toString(36)}`
      const message = text(unique)
      const receipt = await life.send(message)
      const limit = life.runtime === 'acp' ? undefined : agentRow(life.agent.ao)?.typedLimit
      if (limit !== undefined && Buffer.byteLength(message) > limit) return throughFile(life, message, receipt)
      const step = await life.stepWith(unique, receipt.level === 'undelivered' ? 500 : 15_000).catch(() => null)
      const entered = step?.userTexts.findLast((one) => one.includes(unique)) ?? null
      const isRefused = entered === null && receipt.level === 'undelivered'
      if (isRefused) return { verdict: 'partly', note: `refused: ${receipt.why}` }
      if (entered === null) return { verdict: 'no', note: `never at the model; ${receipt.level}: ${receipt.why ?? ''}` }
      const isExact = entered.includes(message)
      const isSeen = receipt.level === 'seen'
      const shown = isExact ? '' : `: ${JSON.stringify(entered.slice(0, 80))}`
      return {
        verdict: isExact && isSeen ? 'yes' : 'partly',
        note: `${isExact ? 'exact' : 'not exact'}, ${receipt.level.replace('_', ' ')}${shown}`,
      }
    },
  }
}

/** What is typed names a file, which the scripted model does not read. */
async function throughFile(life: Life, message: string, { messageId, level }: SendReceipt): Promise<Outcome> {
  const named = await life.stepWith(messageFileText(messageId), 15_000).catch(() => null)
  if (named === null) return { verdict: 'no', note: `its file was never named to the model; ${level}` }
  const file = join(life.worktree(), ...MESSAGE_DIRECTORY, messageFileName(messageId))
  const isExact = readFileSync(file, 'utf8').trimEnd() === message
  return { verdict: isExact && level === 'seen' ? 'yes' : 'partly', note: `in a file, ${level}` }
}

const COMMANDS = ['!', '/', '#', '@', '$', '&', '?', '>'] as const

export const SENDS: readonly Cell[] = [
  sendCell('one line', (id) => `Please note ${id}`),
  sendCell('20 KB', (id) => `${id} ${'0123456789 '.repeat(1_860)}end`),
  sendCell('unicode', (id) => `${id} Grüße 日本語 👩‍👩‍👧 “quotes”`),
  sendCell('several lines', (id) => `${id} first\n\n  second, indented\n- third`),
  sendCell('a tab', (id) => `${id} first\n\tindented by a tab`),
  sendCell('decomposed letters, invisible marks', (id) => `${id} cafe\u0301 \u202eabc\u202c a\u200bb`),
  ...COMMANDS.map((mark) => sendCell(`begins with \`${mark}\``, (id) => `${mark}${id} is text`)),
  sendCell('begins with spaces', (id) => `  ${id} is text`),
  sendCell('a path and an address', (id) => `${id} see @README.md and /etc/hosts and #12`),
]
