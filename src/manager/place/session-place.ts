// Where the agent of a session runs, for gates that run beside it.
import { isSafeName } from '../../contract/ids.ts'
import type { SessionPlace } from '../../slots/far-checkout.ts'
import { ownHandle } from '../active.ts'
import { type ManagerContext, requireProject } from '../context.ts'

export async function sessionPlace(
  context: ManagerContext,
  projectId: string,
  sessionId: string,
): Promise<SessionPlace> {
  if (!isSafeName(sessionId)) return { kind: 'home' }
  const store = context.store(requireProject(context, projectId).id)
  // One that was removed is still the author of its pull request.
  const record = (store.read(sessionId) ?? store.readArchived(sessionId))?.record
  const place = record?.place
  if (record === undefined || place === undefined) return { kind: 'home' }
  const handle = ownHandle(context, projectId, sessionId, record)
  const runtime = handle && (await context.registry.find('runtime', handle.runtimeName))
  const elsewhere = runtime?.elsewhere
  if (!handle || !elsewhere) return { kind: 'gone', place, why: `${sessionId} no longer has a place ${place}` }
  if (!elsewhere.checkOut) return { kind: 'gone', place, why: `gates cannot run in ${place}` }
  return { kind: 'place', place, checkOut: (request) => elsewhere.checkOut!(handle, request) }
}
