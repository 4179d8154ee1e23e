// Agents that keep no files of their own: their screen is all there is, so it is read every few seconds, and a change is news.
// Agents whose files do not show everything: as long as that matters, the state that their screen shows is watched.
import type { Session } from '../../contract/session.ts'
import type { ActivityState } from '../../contract/status.ts'
import type { LoopContext } from '../loop/loop-context.ts'
import { noteScreens, screensOf } from '../tick/record-screens.ts'

/** Each call reads the screens once. */
export function watchScreens(
  loop: LoopContext,
  sessions: () => Session[],
  onChange: (sessionId: string) => void,
): () => Promise<void> {
  let before = new Map<string, string>()
  let isReading = false
  return async () => {
    // A runtime that is slow to answer is not asked again meanwhile.
    if (isReading) return
    isReading = true
    try {
      const shown = await screensOf(loop, sessions(), ({ watchPaths }) => watchPaths === undefined)
      const changed = shown.filter(({ session, screen }) => before.get(session.id) !== screen)
      before = new Map(shown.map(({ session, screen }) => [session.id, screen]))
      await noteScreens(loop, changed)
      for (const { session } of changed) onChange(session.id)
    } finally {
      isReading = false
    }
  }
}

/** Each call reads the screens of these sessions once; a state that was not there the last time is news. */
export function watchStates(
  loop: LoopContext,
  sessions: () => Session[],
  onChange: (sessionId: string) => void,
): () => Promise<void> {
  let before = new Map<string, ActivityState | null>()
  let isReading = false
  return async () => {
    if (isReading) return
    isReading = true
    try {
      const shown = await screensOf(loop, sessions())
      const states = new Map(shown.map(({ session, agent, screen }) => [session.id, agent.detectActivity(screen)]))
      const changed = shown.filter(({ session: { id } }) => !before.has(id) || before.get(id) !== states.get(id))
      before = states
      await noteScreens(loop, changed)
      for (const { session } of changed) onChange(session.id)
    } finally {
      isReading = false
    }
  }
}
