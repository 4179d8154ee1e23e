// After a restart of the machine: the sessions that were running, and the offer to bring them back.
import { errorText } from '../../../contract/errors.ts'
import type { Session } from '../../../contract/session.ts'
import { isRestorable, isSessionStatus, TERMINAL_STATUSES } from '../../../contract/status.ts'
import { plural } from '../../../core/text/format-age.ts'
import type { Io } from '../../io.ts'
import { openAo } from '../open-ao.ts'

export async function offerRestore(io: Io, said: { yes: boolean; no: boolean }): Promise<void> {
  if (said.no) return
  const ao = await openAo(io)
  const lost = (await ao.manager.list()).filter(wasRunning)
  if (lost.length === 0) return
  const ids = lost.map(({ id }) => id).join(', ')
  io.note(`The machine was restarted while ${plural(lost.length, 'session')} ran: ${ids}`)
  if (!said.yes && !(await wantsThemBack(io))) {
    io.note(`Bring them back with: ${lost.map(({ id }) => `ao session restore ${id}`).join('; ')}`)
    return
  }
  for (const { id } of lost) {
    try {
      await ao.manager.restore(id, { onProgress: () => undefined })
      io.note(`restored ${id}`)
    } catch (error) {
      io.note(`${io.noteStyle.yellow('warning:')} ${id} was not restored: ${errorText(error)}`)
    }
  }
}

/** Its record says that it ran, its runtime that it is gone. */
function wasRunning(session: Session): boolean {
  const recorded = session.metadata.status ?? ''
  return isSessionStatus(recorded) && !TERMINAL_STATUSES.has(recorded) && isRestorable(session)
}

async function wantsThemBack(io: Io): Promise<boolean> {
  if (!io.stdin.isTTY || !io.noteIsTerminal) return false
  const { createInterface } = await import('node:readline/promises')
  const reader = createInterface({ input: io.stdin, output: process.stderr })
  const answer = await reader.question('Bring them back? [Y/n] ').finally(() => reader.close())
  return !/^n/i.test(answer.trim())
}
