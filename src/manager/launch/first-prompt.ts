// What an agent gets once it is running: its first prompt, where it takes it as a message, and what waits for it.
import { join } from 'node:path'
import { errorText } from '../../contract/errors.ts'
import type { SendReceipt } from '../../contract/session.ts'
import { sleep } from '../../lib/clock.ts'
import { PROMPT_FILE } from '../../store/session/session-file.ts'
import { reachAgent } from '../active.ts'
import { type ManagerContext, requireActive } from '../context.ts'
import { deliver, deliverHeld } from '../deliver.ts'
import { probeOne } from '../observe/enrich.ts'
import type { OnProgress } from '../types.ts'

/** What waits for an agent that has just been started. What it does not take yet is delivered by the loop, or the next sender. */
export async function deliverToStarted(context: ManagerContext, sessionId: string): Promise<void> {
  await waitForScreen(context, sessionId)
  await deliverHeld(context, sessionId)
}

/** The prompt of an agent that takes it after its start. Not fatal: the session stays, and `ao send` can repeat it. */
export async function deliverInitialPrompt(
  context: ManagerContext,
  sessionId: string,
  prompt: string | null,
  onProgress: OnProgress,
): Promise<void> {
  if (prompt === null) return
  onProgress('sending the prompt')
  const receipt = await tryInitialPrompt(context, sessionId, prompt)
  const { store } = requireActive(context, sessionId)
  await store.update(sessionId, { promptDelivered: PROMPT_DELIVERED[receipt.level], promptSender: null })
  if (receipt.level !== 'undelivered') return
  onProgress(`the prompt was not delivered: ${receipt.why}`)
  const file = join(context.paths.project(store.projectId).stateDir(sessionId), PROMPT_FILE)
  context.log.warn(
    `the prompt of ${sessionId} was not delivered; send it again with: ao send ${sessionId} --file ${file}`,
  )
}

const PROMPT_DELIVERED = { seen: 'yes', handed_over: 'unconfirmed', held: 'held', undelivered: 'no' } as const

async function tryInitialPrompt(context: ManagerContext, sessionId: string, prompt: string): Promise<SendReceipt> {
  try {
    await waitForScreen(context, sessionId)
    const { attachments } = requireActive(context, sessionId).stored.record
    return await deliver(context, sessionId, prompt, { source: 'spawn', attachments })
  } catch (error) {
    return { messageId: '', level: 'undelivered', why: errorText(error) }
  }
}

const SCREEN_POLL_MS = 100
/** A program whose screen is unchanged for this long is ready; one that shows nothing at all gets longer. */
const SETTLED_POLLS = 3
const SETTLED_BLANK_POLLS = 20

/** A terminal program that has drawn something and stopped changing is ready for input. */
export async function waitForScreen(context: ManagerContext, sessionId: string, timeoutMs = 15_000): Promise<void> {
  const found = requireActive(context, sessionId)
  const { runtime, handle } = await reachAgent(context, found, await probeOne(context, found))
  if (runtime.drivesAcpAgents) return
  const deadline = performance.now() + timeoutMs
  let before = ''
  let unchanged = 0
  while (performance.now() < deadline) {
    const screen = await runtime.getOutput(handle, 40)
    unchanged = screen === before ? unchanged + 1 : 0
    if (unchanged >= (screen.trim() === '' ? SETTLED_BLANK_POLLS : SETTLED_POLLS)) return
    before = screen
    await sleep(SCREEN_POLL_MS)
  }
}
