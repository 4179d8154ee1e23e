// Sends text and keys to an agent through its host.

import { AoError } from '../../../contract/errors.ts'
import { shownName } from '../../../contract/ids.ts'
import { cannotBeEntered, type TerminalHands } from '../../terminal-input/enter-message.ts'
import type { ProcessHandle } from '../process-handle.ts'
import { askHost } from './host-client.ts'
import type { HostRequest } from './host-protocol.ts'

/** A screen that keeps changing makes a long paste slow. */
const PASTE_TIMEOUT_MS = 60_000
const TIMEOUT_MS = 5_000

export function hostHands(handle: ProcessHandle): TerminalHands {
  return {
    screen: async () => (await ask(handle, { op: 'screen' }, TIMEOUT_MS)) ?? '',
    paste: async (text) => void (await ask(handle, { op: 'paste', text }, PASTE_TIMEOUT_MS)),
    press: async (data) => void (await ask(handle, { op: 'keys', data }, TIMEOUT_MS)),
  }
}

type Question = Extract<HostRequest, { op: 'screen' | 'paste' | 'keys' }>

async function ask(handle: ProcessHandle, question: Question, timeoutMs: number): Promise<string | undefined> {
  if (handle.socket === undefined) throw failed(handle, 'its host was never ready', false)
  const reply = await askHost(handle.socket, question, timeoutMs)
  if (reply.kind === 'no-host') throw failed(handle, 'it is no longer running', false)
  if (reply.kind === 'unknown') throw failed(handle, reply.why, question.op === 'screen' ? false : null)
  if (reply.answer.ok) return reply.answer.text
  const { error, partly = false, refused } = reply.answer
  if (refused) throw cannotBeEntered(handle.name, error)
  const isOld = error === 'unknown request'
  throw failed(handle, isOld ? 'an older version of ao started it; kill and restore the session' : error, partly)
}

/** `pasted`: did the text reach the terminal? null: unknown, so it must not be sent again blindly. */
function failed(handle: ProcessHandle, why: string, pasted: boolean | null): AoError {
  return new AoError('RUNTIME_FAILED', `The message to ${shownName(handle.name)} was not handed over: ${why}`, {
    details: { name: handle.name, pasted },
  })
}
