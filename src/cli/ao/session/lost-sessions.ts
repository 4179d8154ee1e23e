// Sessions that ended although nobody ended them: the machine restarted, tmux died, the agent was killed.
import { recordOf } from '../../../contract/record.ts'
import type { Session } from '../../../contract/session.ts'
import { isRestorable, TERMINAL_STATUSES } from '../../../contract/status.ts'
import type { Ao } from '../open-ao.ts'

export async function lostSessions(ao: Ao): Promise<Session[]> {
  const restorable = (await ao.manager.list()).filter((session) => isRestorable(session))
  const { readHistory } = await import('../../../store/session/history.ts')
  return restorable.filter((session) => {
    const recorded = recordOf(session).status
    if (recorded !== undefined && !TERMINAL_STATUSES.has(recorded)) return true
    if (session.status !== 'killed') return false
    // The loop has already recorded the end; an intentional end is recorded differently.
    const { events } = readHistory(ao.paths.project(session.projectId), session.id, { last: LAST_EVENTS })
    return events.findLast(({ type }) => ENDS.has(type))?.type === 'runtime.started'
  })
}

const ENDS: ReadonlySet<string> = new Set(['runtime.started', 'runtime.stopped'])
/** Little else happens after its last start or end. */
const LAST_EVENTS = 500
