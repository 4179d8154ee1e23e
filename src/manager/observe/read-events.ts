// What runtimes that receive events know of their sessions: one query to each.
import type { SessionReading } from '../../slots/session-events.ts'
import type { ManagerContext, ReachedSession } from '../context.ts'

/** By session id; null for a session of such a runtime that could not be read. Other sessions are not included. */
export async function readAgentEvents(
  context: ManagerContext,
  sessions: ReadonlyArray<Pick<ReachedSession, 'session' | 'runtime'>>,
): Promise<Map<string, SessionReading | null>> {
  const found = new Map<string, SessionReading | null>()
  const at = { readyThresholdMs: context.config.readyThresholdMs, now: context.clock.now() }
  await Promise.all(
    [...Map.groupBy(sessions, ({ runtime }) => runtime?.events)].map(async ([events, group]) => {
      if (!events) return
      const handles = group.flatMap(({ session: { runtimeHandle } }) => runtimeHandle ?? [])
      const readings = await events.read(handles, at)
      for (const { session } of group) found.set(session.id, readings.get(session.runtimeHandle!.id) ?? null)
    }),
  )
  return found
}
