// Keeps the digest of a driven session up to date with every commit, and notifies its driver of important changes by
// touching a file: a driver that watches it need not wake up for every word of an agent.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { EventType } from '../../../contract/agh/events.ts'
import { errorText } from '../../../contract/errors.ts'
import { EMPTY_DIGEST, foldDigest } from '../../../core/agh/transcript/digest.ts'
import { newsFile } from '../../store/meta-file.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { keepDigestInMemory } from '../publish.ts'

/** Events that put a session in a different situation. */
const NEWS: readonly EventType[] = ['session_started', 'user_message', 'permission', 'done', 'error', 'session_stopped']

export function keepDigest(context: AghContext, session: LiveSession): void {
  if (!session.meta.driver) return
  const file = newsFile(context.paths, session.meta.id)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  session.store.subscribe((rows) => {
    keepDigestInMemory(session, rows.reduce(foldDigest, session.meta.digest ?? EMPTY_DIGEST))
    const news = rows.findLast(({ type }) => NEWS.includes(type))
    if (news) notifyDriver(context, file, news.sequence)
  })
}

function notifyDriver(context: AghContext, file: string, sequence: number): void {
  try {
    writeFileSync(file, `${sequence}\n`, { mode: 0o600 })
  } catch (error) {
    // A driver that polls finds out as well.
    context.log.warn(`${file} was not written: ${errorText(error)}`)
  }
}
