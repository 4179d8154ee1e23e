// What a step may use: output, input and time, each recorded as it is used.
import { sleep } from '../../../lib/clock.ts'
import type { Inbox } from '../program/inbox.ts'
import type { DemoState } from '../program/screen.ts'
import type { SessionLog } from '../session-log.ts'
import type { Performance } from './perform-step.ts'

export interface Display {
  print(text: string): void
  setState(state: DemoState): void
}

export interface PerformanceOptions {
  log: SessionLog
  inbox: Inbox
  display: Display
  workspace: string
  env: NodeJS.ProcessEnv
  skipPermissions: boolean
  /** Everything runs this many times faster. */
  speed: number
}

const SIGN_OF_LIFE_MS = 5_000

export function createPerformance(signal: AbortSignal, options: PerformanceOptions): Performance {
  const { log, display, inbox, speed, workspace, env, skipPermissions } = options
  const say = (text: string) => {
    display.print(text)
    log.add({ type: 'said', text })
  }
  const hear = async (): Promise<string> => {
    const message = await inbox.next(signal)
    log.add({ type: 'answered', message: message.number })
    display.setState('working')
    return message.text
  }
  const waitFor = (kind: 'question' | 'permission', text: string): Promise<string> => {
    display.print(kind === 'question' ? `Question: ${text}` : `Permission needed: ${text} (yes/no)`)
    log.add({ type: 'waiting', kind, text })
    display.setState(kind === 'question' ? 'question' : 'yes/no')
    return hear()
  }
  return {
    workspace,
    env,
    signal,
    skipPermissions,
    say,
    async pass(seconds) {
      let left = (seconds * 1000) / speed
      while (left > 0) {
        log.add({ type: 'progress', text: `${Math.ceil((left * speed) / 1000)} s to go` })
        const now = Math.min(left, SIGN_OF_LIFE_MS)
        await sleep(now, { signal })
        signal.throwIfAborted()
        left -= now
      }
    },
    ask: (question) => waitFor('question', question),
    async mayI(what) {
      for (;;) {
        const answer = yesOrNo(await waitFor('permission', what))
        if (answer !== null) return answer
        display.print('Please answer yes or no.')
      }
    },
    goSilent: hear,
  }
}

export function yesOrNo(answer: string): boolean | null {
  const word = answer.trim().toLowerCase()
  if (/^(y|yes|ok|okay|sure|allow|allowed|go on|1)\b/.test(word)) return true
  if (/^(n|no|deny|denied|never|stop|2)\b/.test(word)) return false
  return null
}
