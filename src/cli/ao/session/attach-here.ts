// The session in this very terminal, until the user leaves it.
import { AoError } from '../../../contract/errors.ts'
import type { Session } from '../../../contract/session.ts'
import type { Io } from '../../io.ts'
import type { Ao } from '../open-ao.ts'
import { attachTarget } from './attach-target.ts'

const LINE_ABOVE = '\u001b[1A\r\u001b[K'

export async function attachHere(
  ao: Ao,
  session: Session,
  io: Io,
  options: { readOnly?: boolean } = {},
): Promise<number> {
  if (!io.isTerminal || !io.stdin.isTTY) {
    throw new AoError('USAGE', 'Attaching needs a terminal', { hint: `Inspect it with: ao session show ${session.id}` })
  }
  const target = await attachTarget(ao, session, options)
  await (await ao.registry.load('terminal', 'attach')).openSession(target)
  // tmux says goodbye with its own internal name; users know the session by another one.
  if (target.attach.type === 'tmux') io.writeRaw(LINE_ABOVE)
  io.note(`left ${session.id}`)
  return 0
}
