// Sessions that ended though nobody ended them, and the offer to bring them back: after a restart of the machine, or when
// it is asked for.
import { errorText } from '../../../contract/errors.ts'
import { plural } from '../../../core/text/format-age.ts'
import type { Io } from '../../io.ts'
import { openAo } from '../open-ao.ts'
import { lostSessions } from '../session/lost-sessions.ts'

export async function offerRestore(io: Io, said: { yes: boolean; no: boolean; rebooted: boolean }): Promise<void> {
  if (said.no) return
  const ao = await openAo(io)
  const lost = await lostSessions(ao)
  if (lost.length === 0) return
  const ids = lost.map(({ id }) => id).join(', ')
  const many = plural(lost.length, 'session')
  io.note(said.rebooted ? `The machine was restarted while ${many} ran: ${ids}` : `Nobody ended ${many}: ${ids}`)
  if (!said.yes && !(await wantsThemBack(io))) {
    io.note('Bring them back with: ao session restore --all')
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

async function wantsThemBack(io: Io): Promise<boolean> {
  if (!io.stdin.isTTY || !io.noteIsTerminal) return false
  const { createInterface } = await import('node:readline/promises')
  const reader = createInterface({ input: io.stdin, output: process.stderr })
  const answer = await reader.question('Bring them back? [Y/n] ').finally(() => reader.close())
  return !/^n/i.test(answer.trim())
}
