// A message as people and commands send it: what a killed command left is settled, a paused session is woken, and then it is delivered.
import { AoError } from '../contract/errors.ts'
import type { SendReceipt } from '../contract/session.ts'
import { isTerminalSession } from '../contract/status.ts'
import { type ManagerContext, requireActive } from './context.ts'
import { deliver, explainTrouble, refuseEmpty } from './deliver.ts'
import { waitForScreen } from './launch/first-prompt.ts'
import { restore } from './launch/restore.ts'
import { readOne } from './observe/enrich.ts'
import { isReturnLeft } from './operation.ts'
import { recoverSession } from './remove/recover.ts'
import type { DeliverOptions } from './types.ts'

export async function send(
  context: ManagerContext,
  sessionId: string,
  text: string,
  options: DeliverOptions = {},
): Promise<SendReceipt> {
  refuseEmpty(text, options)
  return explainTrouble(context, { sessionId, text }, async () => {
    const acceptedAt = options.acceptedAt ?? context.clock.now().getTime()
    await recoverSession(context, sessionId)
    if (isReturnLeft(sessionId, requireActive(context, sessionId).stored.record))
      await (await import('./remove/rewind.ts')).finishReturn(context, sessionId)
    if ((options.source ?? 'user') === 'user') await wakePaused(context, sessionId)
    if (!namesSomething(text, options)) return deliver(context, sessionId, text, { ...options, acceptedAt })
    return deliverExpanded(context, sessionId, text, { ...options, acceptedAt })
  })
}

/** Only a person's own words are read for what they name, whoever else's text they send. */
function namesSomething(text: string, { byPerson = false, raw = false }: DeliverOptions): boolean {
  return byPerson && !raw && text.includes('@')
}

async function deliverExpanded(
  context: ManagerContext,
  sessionId: string,
  given: string,
  options: DeliverOptions,
): Promise<SendReceipt> {
  const { expandReferences } = await import('./message/references.ts')
  const { project, stored } = requireActive(context, sessionId)
  const to = { project, workspacePath: stored.record.worktree ?? null }
  const { text, files, notes } = await expandReferences(context, given, to)
  const all = [...(options.files ?? []), ...files]
  const receipt = await deliver(context, sessionId, text, { ...options, files: all })
  const note = [receipt.note, ...notes].filter((one) => one !== undefined).join('; ')
  return note === '' ? receipt : { ...receipt, note }
}

/** For callers who want an exception rather than a receipt. */
export async function sendOrThrow(context: ManagerContext, sessionId: string, text: string): Promise<void> {
  const receipt = await send(context, sessionId, text)
  if (receipt.level !== 'undelivered') return
  throw new AoError('MESSAGE_UNDELIVERED', `The message did not reach ${sessionId}: ${receipt.why}`, {
    hint: `Attach to the session with: ao session attach ${sessionId}`,
    details: { ...receipt },
  })
}

/** A paused session continues with the next message of a person. Agents and reactions start nothing that a person paused. */
async function wakePaused(context: ManagerContext, sessionId: string): Promise<void> {
  const found = requireActive(context, sessionId)
  if (found.stored.record.paused === undefined) return
  if (!isTerminalSession(await readOne(context, found))) return
  await restore(context, sessionId)
  await waitForScreen(context, sessionId)
}
