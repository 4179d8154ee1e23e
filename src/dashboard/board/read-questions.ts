// Agents' questions that wait for a person: over events in one call to each runtime, else from each screen.
import { errorText } from '../../contract/errors.ts'
import type { PermissionRequest } from '../../contract/permission.ts'
import type { RuntimeHandle, Session } from '../../contract/session.ts'
import { type ManagerContext, reachSessions } from '../../manager/context.ts'
import { readDialog } from '../../manager/message/answer-dialog.ts'
import type { SessionEvents } from '../../slots/session-events.ts'

/** By session id. Only waiting sessions are queried, so that most reads cost nothing. */
export async function readQuestions(
  context: ManagerContext,
  sessions: Session[],
): Promise<Map<string, PermissionRequest[]>> {
  const waiting = sessions.filter(
    ({ activity, runtimeHandle }) => activity === 'waiting_input' && runtimeHandle !== null,
  )
  const found = new Map<string, PermissionRequest[]>()
  const reached = waiting.length === 0 ? [] : await reachSessions(context, waiting)
  for (const [runtime, group] of Map.groupBy(reached, (one) => one.runtime)) {
    if (runtime === null) continue
    try {
      const handles = group.map(({ session }) => session.runtimeHandle!)
      const answers = runtime.events ? await ask(context, runtime.events, handles) : null
      for (const { session, agent } of group) {
        if (answers) found.set(session.id, answers.get(session.runtimeHandle!.id)?.permissions ?? [])
        else
          found.set(
            session.id,
            [await readDialog({ session, runtime, agent })].flatMap((request) => request ?? []),
          )
      }
    } catch (error) {
      context.log.debug(`questions of agents in ${runtime.name} could not be read: ${errorText(error)}`)
    }
  }
  return found
}

function ask(context: ManagerContext, events: SessionEvents, handles: RuntimeHandle[]) {
  return events.read(handles, { readyThresholdMs: context.config.readyThresholdMs, now: context.clock.now() })
}
