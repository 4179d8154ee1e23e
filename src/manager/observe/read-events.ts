// What runtimes that receive events know of their sessions: one query to each.
import type { Session } from '../../contract/session.ts'
import type { Runtime } from '../../slots/runtime.ts'
import type { SessionReading } from '../../slots/session-events.ts'
import type { ManagerContext } from '../context.ts'

/** By session id; null for a session of such a runtime that could not be read. Other sessions are not included. */
export async function readAgentEvents(
  context: ManagerContext,
  sessions: Session[],
  runtimeFor: (name: string) => Promise<Runtime | null>,
): Promise<Map<string, SessionReading | null>> {
  const found = new Map<string, SessionReading | null>()
  const at = { readyThresholdMs: context.config.readyThresholdMs, now: context.clock.now() }
  const byRuntime = Map.groupBy(sessions, ({ runtimeHandle }) => runtimeHandle?.runtimeName ?? '')
  await Promise.all(
    [...byRuntime].map(async ([name, group]) => {
      const events = name === '' ? undefined : (await runtimeFor(name))?.events
      if (!events) return
      const handles = group.flatMap(({ runtimeHandle }) => runtimeHandle ?? [])
      const readings = await events.read(handles, at)
      for (const { id, runtimeHandle } of group) found.set(id, readings.get(runtimeHandle!.id) ?? null)
    }),
  )
  return found
}
