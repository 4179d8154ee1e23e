// Types into a terminal in a place. Each request has an id and is carried out once, so it is repeated when the line broke
// before the answer came.
import { randomUUID } from 'node:crypto'
import { AoError } from '../../../contract/errors.ts'
import { shownName } from '../../../contract/ids.ts'
import { afterReply, type RequestReply } from '../../../core/place/line/repeat-request.ts'
import { sleep } from '../../../lib/clock.ts'
import { askHost, type HostReply } from '../../runtime-process/host/host-client.ts'
import type { HostRequest } from '../../runtime-process/host/host-protocol.ts'
import type { ProcessHandle } from '../../runtime-process/process-handle.ts'
import { cannotBeEntered, type TerminalHands } from '../../terminal-input/enter-message.ts'

const PASTE_TIMEOUT_MS = 60_000
const TIMEOUT_MS = 10_000

export function placeHands(handle: ProcessHandle): TerminalHands {
  return {
    screen: async () => (await ask(handle, { op: 'screen' }, TIMEOUT_MS)) ?? '',
    paste: async (text) => void (await ask(handle, { op: 'paste', text, id: randomUUID() }, PASTE_TIMEOUT_MS)),
    press: async (data) => void (await ask(handle, { op: 'keys', data, id: randomUUID() }, TIMEOUT_MS)),
  }
}

type Question = Extract<HostRequest, { op: 'screen' | 'paste' | 'keys' }>

async function ask(handle: ProcessHandle, question: Question, timeoutMs: number): Promise<string | undefined> {
  const { socket } = handle
  if (socket === undefined) throw failed(handle, 'it is no longer running', false)
  const started = performance.now()
  for (let maybeSent = false; ; ) {
    const reply = await askHost(socket, question, timeoutMs)
    if (reply.kind === 'answer') {
      const { answer } = reply
      if (answer.ok) return answer.text
      if (answer.refused) throw cannotBeEntered(handle.name, answer.error)
      if (answer.partly) throw failed(handle, answer.error, true)
    }
    const known = readReply(reply)
    const after = afterReply(known, { maybeSent, elapsedMs: performance.now() - started })
    if (after.next === 'give-up') throw failed(handle, after.why, question.op === 'screen' ? false : after.arrived)
    maybeSent ||= known.kind === 'sent'
    await sleep(250)
  }
}

function readReply(reply: HostReply): RequestReply {
  if (reply.kind === 'unknown') return { kind: 'sent', why: reply.why }
  if (reply.kind === 'no-host') return { kind: 'refused', why: 'it is no longer running', isPassing: true }
  const why = reply.answer.ok ? '' : reply.answer.error
  return { kind: 'refused', why, isPassing: why.includes('cannot be reached') }
}

/** `pasted`: did the text reach the terminal? null: unknown, so it must not be sent again blindly. */
function failed(handle: ProcessHandle, why: string, pasted: boolean | null): AoError {
  return new AoError('RUNTIME_FAILED', `The message to ${shownName(handle.name)} was not handed over: ${why}`, {
    details: { name: handle.name, pasted },
  })
}
