// The sessions of one configuration in numbers, for scrapes. The loop has all records in memory at each of its rounds, and they
// are counted there while somebody scrapes; without a loop they are read, at most once a minute.
import { errorText } from '../../contract/errors.ts'
import { countSessions, type SessionCounts } from '../../core/queue/count-sessions.ts'
import { onMeasure } from '../../lib/measures.ts'
import { storedSessions } from '../../manager/active.ts'
import type { ManagerContext } from '../../manager/context.ts'

export interface Census {
  read(): { projects: ReadonlyMap<string, SessionCounts>; isCurrent: boolean }
  close(): void
}

/** A scraper that has not come back by then is gone. */
const WANTED_MS = 10 * 60_000
/** What the loop has not counted for this long is counted here. */
const STALE_MS = 60_000

export function createCensus(context: () => ManagerContext): Census {
  const counted = new Map<string, { at: number; counts: SessionCounts }>()
  let wantedUntil = 0
  const now = () => context().clock.now().getTime()
  const end = onMeasure('sessions', ({ repository, project, sessions }) => {
    if (repository !== context().paths.hash || now() > wantedUntil) return
    counted.set(project, { at: now(), counts: countSessions(sessions(), now()) })
  })
  /** false: its records cannot be read now. */
  const refresh = (project: string): boolean => {
    const cached = counted.get(project)
    if (cached && now() - cached.at < STALE_MS) return true
    try {
      counted.set(project, { at: now(), counts: countSessions(storedSessions(context(), project), now()) })
      return true
    } catch (error) {
      context().log.warn(`the sessions of ${project} could not be counted: ${errorText(error)}`)
      return false
    }
  }
  return {
    read() {
      wantedUntil = now() + WANTED_MS
      const ids = Object.keys(context().config.projects)
      for (const id of counted.keys()) if (!ids.includes(id)) counted.delete(id)
      const isCurrent = ids.map(refresh).every(Boolean)
      return { projects: new Map([...counted].map(([id, { counts }]) => [id, counts])), isCurrent }
    },
    close: end,
  }
}
