// Types into a terminal in a place. Each request has an id and is carried out once, so it is repeated when the line broke
// before the answer came.
import { randomUUID } from 'node:crypto'
import { AoError } from '../../../contract/errors.ts'
import { shownName } from '../../../contract/ids.ts'
import { sleep } from '../../../lib/clock.ts'
import { askHost } from '../../runtime-process/host/host-client.ts'
import type { HostRequest } from '../../runtime-process/host/host-protocol.ts'
import type { ProcessHandle } from '../../runtime-process/process-handle.ts'
import type { TerminalHands } from '../../terminal-input/enter-message.ts'

const PASTE_TIMEOUT_MS = 60_000
const TIMEOUT_MS = 10_000
/** How long a broken line is waited for. */
const REPEAT_MS = 20_000

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
  if (socket === undefined) throw failed(handle, 'nothing of it runs any more', false)
  const until = performance.now() + REPEAT_MS
  for (let sent = false; ; ) {
    const reply = await askHost(socket, question, timeoutMs)
    if (reply.kind === 'answer' && reply.answer.ok) return reply.answer.text
    sent ||= reply.kind === 'unknown'
    const why = reply.kind === 'answer' ? (reply.answer as { error: string }).error : reply.why
    // Only a request that may have arrived is repeated; one that did not is refused, and the caller decides.
    if (!sent) throw failed(handle, reply.kind === 'no-host' ? 'nothing of it runs any more' : why, false)
    if (reply.kind === 'answer' && !/cannot be reached/.test(why)) throw failed(handle, why, false)
    if (performance.now() > until) throw failed(handle, why, question.op === 'screen' ? false : null)
    await sleep(250)
  }
}

/** `pasted`: did the text reach the terminal? null: unknown, so it must not be sent again blindly. */
function failed(handle: ProcessHandle, why: string, pasted: boolean | null): AoError {
  return new AoError('RUNTIME_FAILED', `The message to ${shownName(handle.name)} was not handed over: ${why}`, {
    details: { name: handle.name, pasted },
  })
}
