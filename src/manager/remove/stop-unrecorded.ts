// Ends an agent while nothing can be written: on a full or read-only disk the agent may be the very one that filled it. The
// intent cannot be recorded, so nothing but the agent is touched; the next tick finds out what the record lacks.
import { AoError, type ErrorCode, errorText } from '../../contract/errors.ts'
import { explainSystemError } from '../../contract/explain-error.ts'
import type { LeftProcess } from '../../contract/session.ts'
import { findActive, type ManagerContext } from '../context.ts'
import { ownRecord } from '../own-record.ts'
import { destroyRuntime } from './remove-session.ts'

const CANNOT_WRITE: ReadonlySet<ErrorCode> = new Set(['DISK_FULL', 'DISK_READ_ONLY', 'ACCESS_DENIED'])

/** null: the cause is something else. */
export function writeTrouble(error: unknown): AoError | null {
  const explained = error instanceof AoError ? error : explainSystemError(error)
  return explained && CANNOT_WRITE.has(explained.code) ? explained : null
}

/** A record may have been made to look newer by the very agent that is to be ended. */
function newerRecord(error: unknown): AoError | null {
  return error instanceof AoError && error.code === 'FORMAT_NEWER' ? error : null
}

export interface UnrecordedStop {
  force: boolean
  onLeftRunning?: ((processes: LeftProcess[]) => void) | undefined
}

/** Ends the agent when `error` says that the disk refused the record; returns the error to throw in any case. */
export async function stopUnrecorded(
  context: ManagerContext,
  sessionId: string,
  stop: UnrecordedStop,
  error: unknown,
): Promise<unknown> {
  const trouble = writeTrouble(error) ?? (stop.force ? newerRecord(error) : null)
  const found = trouble && findActive(context, sessionId)
  if (!trouble || !found) return error
  const { project, stored } = found
  try {
    const { record } = await ownRecord(context, project, sessionId, stored)
    const { force, onLeftRunning } = stop
    await destroyRuntime(context, project.id, sessionId, record, {
      force,
      onLeftRunning: (processes) => onLeftRunning?.(processes),
    })
  } catch (failure) {
    context.log.warn(`${sessionId} could not be stopped without a record either: ${errorText(failure)}`)
    return error
  }
  return new AoError(
    trouble.code,
    `The agent of ${sessionId} was stopped, but that could not be recorded, and nothing was removed: ${trouble.message}`,
    {
      hint: `${trouble.code === 'FORMAT_NEWER' ? 'With a newer ao' : 'When there is space again'}, record it with: ao session kill ${sessionId}`,
      details: { ...trouble.details, sessionId, stopped: true },
      cause: error,
    },
  )
}
