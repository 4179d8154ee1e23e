// The workspace that an agent's files have to be in.
import { findCaller } from '../../../inside/find-caller.ts'
import { findActive } from '../../../manager/context.ts'
import type { Io } from '../../print/io.ts'
import type { Ao } from '../open-ao.ts'

/** Of the agent that sends; null: a person sends, or no file. */
export function ownWorkspace(ao: Ao, files: readonly string[], io: Io): string | null {
  const caller = files.some((file) => file !== '-') ? findCaller(io) : null
  return caller && (findActive(ao.context, caller.sessionId)?.stored.record.worktree ?? '')
}
