// A change of a session by a route: its card is read again, also when the change failed half-way.
import type { DashboardContext } from '../server/context.ts'

type Touched = Pick<DashboardContext, 'board'>

export async function touching<T>({ board }: Touched, sessionId: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } finally {
    board.touch(sessionId)
  }
}

/** For a change whose only news is that it was made. */
export async function done(context: Touched, sessionId: string, act: () => Promise<unknown>): Promise<{ ok: true }> {
  await touching(context, sessionId, act)
  return { ok: true }
}
