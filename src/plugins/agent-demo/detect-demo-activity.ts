// The demo agent's state from its screen: it stands in front of the input line.
import type { ScreenInput } from '../../contract/dialog.ts'
import type { ActivityState } from '../../contract/status.ts'

const PROMPT = /^demo(?: \((working|question|yes\/no|failed)\))?>/

export function detectDemoActivity(terminalText: string): ActivityState | null {
  const line = terminalText.split('\n').findLast((one) => PROMPT.test(one))
  if (line === undefined) return null
  const state = PROMPT.exec(line)?.[1]
  if (state === 'working') return 'active'
  if (state === 'failed') return 'blocked'
  return state === undefined ? 'ready' : 'waiting_input'
}

/** A question in words is answered by a message; one for permission only by yes or no. */
export function readDemoInput(terminalText: string): ScreenInput {
  const lines = terminalText.split('\n')
  const state = PROMPT.exec(lines.findLast((one) => PROMPT.test(one)) ?? '')
  if (state === null) return { takes: 'unknown' }
  if (state[1] !== 'yes/no') return { takes: 'text' }
  const title = lines.findLast((line) => line.startsWith('Permission needed: ')) ?? 'Permission needed'
  return {
    takes: 'keys',
    dialog: {
      title,
      takesLine: true,
      choices: [
        { label: 'Yes', decision: 'allow-once', keys: ['yes\r'] },
        { label: 'No', decision: 'reject-once', keys: ['no\r'] },
      ],
    },
  }
}
