// What a handle of this runtime contains: which agh session it is, and which of its starts.
import type { AghPaths } from '../../agh/paths.ts'
import { readMeta } from '../../agh/store/meta-file.ts'
import { AoError } from '../../contract/errors.ts'
import { shownName } from '../../contract/ids.ts'
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
  /** The agh home it is in. */
  home: string
}

export function makeHandle({ name, ...data }: AcpHandle): RuntimeHandle {
  return { id: name, runtimeName: RUNTIME_NAME, data: { ...data } }
}

/** null: the handle was not made by this runtime. */
export function readHandle(handle: RuntimeHandle): AcpHandle | null {
  const { session, spawnId, workspacePath, home } = handle.data ?? {}
  if (typeof session !== 'string' || typeof spawnId !== 'string') return null
  if (typeof workspacePath !== 'string' || typeof home !== 'string') return null
  return { name: handle.id, session, spawnId, workspacePath, home }
}

/** A session in this very agh home. */
export function requireHandle(handle: RuntimeHandle, home: string): AcpHandle {
  const target = readHandle(handle)
  if (target?.home === home) return target
  if (!target) throw new AoError('RUNTIME_FAILED', `The handle ${handle.id} does not belong to the acp runtime`)
  throw new AoError(
    'RUNTIME_FAILED',
    `${handle.id} is a session of the agh in ${target.home}, not of the one in ${home}`,
    {
      hint: `Set AGH_HOME=${target.home}`,
    },
  )
}

/** agh's id of the session. A handle that points to another session is refused: records can be edited. */
export function requireOwnSession(handle: RuntimeHandle, paths: AghPaths): string {
  const { name, session } = requireHandle(handle, paths.home)
  if (readMeta(paths, session).driver?.key === name) return session
  throw new AoError('RUNTIME_FAILED', `${session} is not the session of ${shownName(name)} in agh`)
}
