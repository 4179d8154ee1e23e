// What a handle of this runtime holds: which agh session it is, and which of its starts.
import { AoError } from '../../contract/errors.ts'
import type { RuntimeHandle } from '../../contract/session.ts'

export const RUNTIME_NAME = 'acp'
/** How agh knows whose sessions these are. */
export const DRIVER = 'ao'

export interface AcpHandle {
  name: string
  /** agh's id of the session; the same for every start. */
  session: string
  spawnId: string
  workspacePath: string
}

export function makeHandle({ name, session, spawnId, workspacePath }: AcpHandle): RuntimeHandle {
  return { id: name, runtimeName: RUNTIME_NAME, data: { session, spawnId, workspacePath } }
}

/** null: the handle was not made by this runtime. */
export function readHandle(handle: RuntimeHandle): AcpHandle | null {
  const { session, spawnId, workspacePath } = handle.data ?? {}
  if (typeof session !== 'string' || typeof spawnId !== 'string' || typeof workspacePath !== 'string') return null
  return { name: handle.id, session, spawnId, workspacePath }
}

export function requireHandle(handle: RuntimeHandle): AcpHandle {
  const known = readHandle(handle)
  if (known) return known
  throw new AoError('RUNTIME_FAILED', `The handle ${handle.id} is none of the acp runtime`)
}
