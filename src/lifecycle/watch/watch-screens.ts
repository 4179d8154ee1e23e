// Agents that keep no files of their own: their screen is all there is, so it is read every few seconds, and a change is news.
// Agents whose files do not show everything: as long as that matters, the state that their screen shows is watched.
import type { Session } from '../../contract/session.ts'
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
  isWanted: ({ watchPaths }) => watchPaths === undefined,
  newsOf: ({ screen }) => screen,
})

/** The same for these sessions; a state that was not there the last time is news. The others are read by `watchScreens`. */
export const watchStates: Watch = watchWhat({
  isWanted: ({ watchPaths }) => watchPaths !== undefined,
  newsOf: ({ agent, screen }) => agent.detectActivity(screen),
})

interface What {
  isWanted(agent: Agent): boolean
  /** What makes it news when it changes. */
  newsOf(shown: ShownScreen): string | null
}

function watchWhat({ isWanted, newsOf }: What): Watch {
  return (loop, sessions, onChange) => {
    let before = new Map<string, string | null>()
    let isReading = false
    return async () => {
      // A runtime that is slow to answer is not asked again meanwhile.
      if (isReading) return
      isReading = true
      try {
        const shown = await screensOf(loop, sessions(), isWanted)
        const values = new Map(shown.map((one) => [one.session.id, newsOf(one)]))
        const changed = shown.filter(({ session: { id } }) => !before.has(id) || before.get(id) !== values.get(id))
        before = values
        await noteScreens(loop, changed)
        for (const { session } of changed) onChange(session.id)
      } finally {
        isReading = false
      }
    }
  }
}
