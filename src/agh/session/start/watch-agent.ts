// What ends a live session without anybody asking: its agent, or its time.

import { durationMs } from '../../../contract/agh/duration.ts'
import type { StopCause } from '../../../core/agh/session/classify-stop.ts'
import { nowMs } from '../../../lib/clock.ts'
import type { AghContext } from '../context.ts'
import { finishSession, leaveRunning } from '../finish.ts'
import type { LiveSession } from '../live-session.ts'
import { addTimer } from '../publish.ts'
import { exitSoon } from './attempt.ts'

/** An agent that ends ends its session, and so does one that closes its output. One that cannot be reached is not ended. */
export function watchAgent(context: AghContext, session: LiveSession): void {
  const end = (cause: StopCause) => void finishSession(context, session, cause)
  void session.process?.exited.then((exit) => end({ kind: 'exited', exit }))
  void session.connection?.closed.then(async (detail) => {
    const loss = session.process?.loss()
    // Another daemon has it now, so this one must not end it.
    if (loss === 'replaced') return leaveRunning(context, session)
    if (loss === 'unreachable' && session.finishing === null) return leaveUnreached(context, session, detail)
    if (session.finishing === null && (await exitSoon(session)) === null) end({ kind: 'transport', detail })
  })
}

async function leaveUnreached(context: AghContext, session: LiveSession, why: string): Promise<void> {
  context.log.warn(`session ${session.meta.id} is left until the host of its agent answers: ${why}`)
  await leaveRunning(context, session, { isPostponed: true })
  // Whoever follows it waits with it.
  session.abort.abort()
}

/** A wall-clock limit for all sessions, and the time budget of a spawned session or a coordinator. */
export function limitLifetime(context: AghContext, session: LiveSession): void {
  const limit = durationMs(context.config.session.limits.timeout)
  const { lineage, process } = session.meta
  const { ttl_expires_at } = lineage
  const passed = process ? nowMs(context) - Date.parse(process.started_at) : 0
  const end = (detail: string) => void finishSession(context, session, { kind: 'timeout', detail })
  if (limit > 0)
    addTimer(session, setTimeout(end, Math.max(0, limit - passed), `session.limits.timeout of ${limit} ms is over`))
  if (ttl_expires_at === null) return
  const left = Math.max(0, Date.parse(ttl_expires_at) - nowMs(context))
  addTimer(session, setTimeout(end, left, 'the time that it was given is over'))
}
