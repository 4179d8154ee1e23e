// The session in this very terminal, until the user leaves it.
import { AoError } from '../../../contract/errors.ts'
import { recordOf } from '../../../contract/record.ts'
import type { Session } from '../../../contract/session.ts'
import { isTerminalSession } from '../../../contract/status.ts'
import { requireSession } from '../../../manager/observe/require-session.ts'
import type { Io } from '../../print/io.ts'
import { createProgress } from '../../print/progress.ts'
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
  const target = await attachTarget(ao, await resumed(ao, session, io), options)
  await (await ao.registry.load('terminal', 'attach')).openSession(target)
  // tmux says goodbye with its own internal name; users know the session by another one.
  if (target.attach.type === 'tmux') io.writeRaw(LINE_ABOVE)
  io.note(`left ${session.id}`)
  return 0
}

/** A paused session is started again for whoever wants to see it. */
async function resumed(ao: Ao, session: Session, io: Io): Promise<Session> {
  if (recordOf(session).paused === undefined || !isTerminalSession(session)) return session
  const progress = createProgress(io)
  try {
    await ao.manager.restore(session.id, { onProgress: progress.step })
  } finally {
    progress.end()
  }
  return requireSession(ao.context, session.id)
}
