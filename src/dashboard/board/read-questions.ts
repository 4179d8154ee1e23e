// Questions of agents that wait for a person, where a runtime hears them: one call to each runtime for all its sessions.
import { errorText } from '../../contract/errors.ts'
import type { PermissionRequest } from '../../contract/permission.ts'
import type { RuntimeHandle, Session } from '../../contract/session.ts'
import type { ManagerContext } from '../../manager/context.ts'

/** By session id. Only those that wait are asked about, so that most looks cost nothing. */
export async function readQuestions(
  context: ManagerContext,
  sessions: Session[],
): Promise<Map<string, PermissionRequest[]>> {
  const waiting = sessions.flatMap(({ id, activity, runtimeHandle: handle }) =>
    activity === 'waiting_input' && handle !== null ? [{ id, handle }] : [],
  )
  const found = new Map<string, PermissionRequest[]>()
  for (const [runtimeName, group] of Map.groupBy(waiting, ({ handle }) => handle.runtimeName)) {
    const answers = await ask(
      context,
      runtimeName,
      group.map(({ handle }) => handle),
    )
    for (const { id, handle } of group) found.set(id, answers.get(handle.id)?.permissions ?? [])
  }
  return found
}

async function ask(context: ManagerContext, runtimeName: string, handles: RuntimeHandle[]) {
  try {
    const events = (await context.registry.find('runtime', runtimeName))?.events
    const options = { readyThresholdMs: context.config.readyThresholdMs, now: context.clock.now() }
    if (events) return await events.read(handles, options)
  } catch (error) {
    context.log.debug(`questions of agents in ${runtimeName} could not be read: ${errorText(error)}`)
  }
  return new Map<string, { permissions: PermissionRequest[] }>()
}
