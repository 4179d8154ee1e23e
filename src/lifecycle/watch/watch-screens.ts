// Agents that keep no files of their own: their screen is all there is, so it is read every few seconds, and a change is news.
// Agents whose files do not show everything: as long as that matters, the state that their screen shows is watched.
import type { Session } from '../../contract/session.ts'
import { reachSessions } from '../../manager/context.ts'
import type { Agent } from '../../slots/agent.ts'
import type { LoopContext } from '../loop/loop-context.ts'
import { noteScreens, type ShownScreen, screensOf } from '../tick/record-screens.ts'

type Watch = (
  loop: LoopContext,
  sessions: () => Session[],
  onChange: (sessionId: string) => void,
) => () => Promise<void>

/** Each call reads the screens once. */
export const watchScreens: Watch = watchWhat({
  isWanted: ({ watchPaths, recordActivity }) => watchPaths === undefined && recordActivity !== undefined,
  newsOf: ({ screen }) => screen,
})

/**
 * The same for these sessions; a state that was not there the last time is news, and once more when it is still there the next
 * time: one look may come between two drawings. The others are read by `watchScreens`.
 */
export const watchStates: Watch = watchWhat({
  isWanted: ({ watchPaths }) => watchPaths !== undefined,
  isConfirmed: true,
  newsOf: ({ agent, screen }) => agent.detectActivity(screen),
})

interface What {
  isWanted(agent: Agent): boolean
  /** What makes it news when it changes. */
  newsOf(shown: ShownScreen): string | null
  /** A change is news again when the next look shows the same. */
  isConfirmed?: true
}

function watchWhat({ isWanted, newsOf, isConfirmed }: What): Watch {
  return (loop, sessions, onChange) => {
    let before = new Map<string, string | null>()
    let unconfirmed = new Set<string>()
    let isReading = false
    return async () => {
      // A runtime that is slow to answer is not asked again meanwhile.
      if (isReading) return
      isReading = true
      try {
        const shown = await screensOf(loop, await reachSessions(loop.context, sessions()), isWanted)
        const values = new Map(shown.map((one) => [one.session.id, newsOf(one)]))
        const isNew = (id: string) => !before.has(id) || before.get(id) !== values.get(id)
        const changed = new Set(shown.map(({ session: { id } }) => id).filter(isNew))
        const news = shown.filter(({ session: { id } }) => changed.has(id) || unconfirmed.has(id))
        before = values
        unconfirmed = isConfirmed ? changed : unconfirmed
        await noteScreens(loop, news)
        for (const { session } of news) onChange(session.id)
      } finally {
        isReading = false
      }
    }
  }
}
