// Types into a terminal through its host, here or in a place. Each input has a key and is carried out once, so it may be repeated when
// the connection broke before the answer came.
import { randomUUID } from 'node:crypto'
import { AoError, errorText } from '../contract/errors.ts'
import { shownName } from '../contract/ids.ts'
import { afterReply, type RequestReply } from '../core/place/line/repeat-request.ts'
import { sleep } from '../lib/clock.ts'
import { cannotBeEntered, type TerminalHands } from '../lib/terminal/type-message.ts'
import { askHost, type HostClient, NoHostError } from './client.ts'
import type { Took } from './protocol.ts'
import { HostRefusedError } from './read.ts'

export interface HostedTerminal {
  name: string
  /** Where its host listens. Absent: it was never ready. */
  socket?: string | undefined
  /** What connects us to its host comes back after a moment: a connection that broke is waited for. */
  isElsewhere?: boolean
}

/** A screen that keeps changing makes a long paste slow. */
const PASTE_TIMEOUT_MS = 60_000
const TIMEOUT_MS = 5_000
const TIMEOUT_ELSEWHERE_MS = 10_000
const RETRY_MS = 250

export function hostHands(terminal: HostedTerminal): TerminalHands {
  const timeoutMs = terminal.isElsewhere ? TIMEOUT_ELSEWHERE_MS : TIMEOUT_MS
  return {
    name: terminal.name,
    screen: () => attempt(terminal, timeoutMs, false, (client) => client.screen()),
    async paste(text) {
      const key = randomUUID()
      check(terminal, await attempt(terminal, PASTE_TIMEOUT_MS, null, (client) => client.paste(text, key)))
    },
    async press(keys) {
      const key = randomUUID()
      check(terminal, await attempt(terminal, timeoutMs, null, (client) => client.press(keys, key)))
    },
  }
}

function check(terminal: HostedTerminal, { ok, why = 'it takes no more input', partly = false, refused }: Took): void {
  if (ok) return
  if (refused) throw cannotBeEntered(terminal.name, why)
  throw failed(terminal, why, partly)
}

/** `lost`: what is known of an input whose answer did not come. */
async function attempt<T>(
  terminal: HostedTerminal,
  timeoutMs: number,
  lost: false | null,
  ask: (client: HostClient) => Promise<T>,
): Promise<T> {
  const { socket, isElsewhere = false } = terminal
  if (socket === undefined) throw failed(terminal, 'its host was never ready', false)
  const started = performance.now()
  for (let maybeSent = false; ; ) {
    let isSent = false
    try {
      return await askHost(socket, timeoutMs, (client) => {
        isSent = true
        return ask(client)
      })
    } catch (error) {
      const reply = readFailure(error, isSent, isElsewhere)
      const after = afterReply(reply, { maybeSent, elapsedMs: performance.now() - started })
      if (after.next !== 'repeat' || !isElsewhere) {
        const arrived = maybeSent || isSent ? lost : false
        throw failed(terminal, reply.why, arrived)
      }
      maybeSent ||= isSent
    }
    await sleep(RETRY_MS)
  }
}

function readFailure(error: unknown, isSent: boolean, isElsewhere: boolean): Exclude<RequestReply, { kind: 'done' }> {
  if (isSent) return { kind: 'sent', why: errorText(error) }
  if (error instanceof NoHostError) return { kind: 'refused', why: 'it is no longer running', isPassing: isElsewhere }
  const isPassing = error instanceof HostRefusedError ? error.isPassing : isElsewhere
  return { kind: 'refused', why: errorText(error), isPassing }
}

/** `pasted`: did the text reach the terminal? null: unknown, so it must not be sent again blindly. */
function failed({ name }: HostedTerminal, why: string, pasted: boolean | null): AoError {
  return new AoError('RUNTIME_FAILED', `The message to ${shownName(name)} was not handed over: ${why}`, {
    details: { name, pasted },
  })
}
