// Agents' questions that wait for a person: over events in one call to each runtime, else from each screen.
import { errorText } from '../../contract/errors.ts'
import type { PermissionRequest } from '../../contract/permission.ts'
import type { RuntimeHandle, Session } from '../../contract/session.ts'
import type { ManagerContext } from '../../manager/context.ts'
import { readDialog } from '../../manager/message/answer-dialog.ts'
import type { Recipient } from '../../manager/message/entry-check.ts'
import type { SessionEvents } from '../../slots/session-events.ts'

/** By session id. Only waiting sessions are queried, so that most reads cost nothing. */
export async function readQuestions(
  context: ManagerContext,
  sessions: Session[],
): Promise<Map<string, PermissionRequest[]>> {
  const waiting = sessions.flatMap((session) =>
    session.activity === 'waiting_input' && session.runtimeHandle !== null
      ? [{ id: session.id, session, handle: session.runtimeHandle }]
      : [],
  )
  const found = new Map<string, PermissionRequest[]>()
  for (const [runtimeName, group] of Map.groupBy(waiting, ({ handle }) => handle.runtimeName)) {
    try {
      const runtime = await context.registry.find('runtime', runtimeName)
      const answers = runtime?.events
        ? await ask(
            context,
            runtime.events,
            group.map(({ handle }) => handle),
          )
        : null
      for (const { id, session, handle } of group) {
        if (answers) found.set(id, answers.get(handle.id)?.permissions ?? [])
        else if (runtime) found.set(id, await readFromScreen(context, { session, runtime }))
      }
    } catch (error) {
      context.log.debug(`questions of agents in ${runtimeName} could not be read: ${errorText(error)}`)
    }
  }
  return found
}

function ask(context: ManagerContext, events: SessionEvents, handles: RuntimeHandle[]) {
  return events.read(handles, { readyThresholdMs: context.config.readyThresholdMs, now: context.clock.now() })
}

async function readFromScreen(context: ManagerContext, asking: Recipient): Promise<PermissionRequest[]> {
  const request = await readDialog(context, asking)
  return request ? [request] : []
}
