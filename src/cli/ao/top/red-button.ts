// `!` on the terminal board: every agent stops where it is, or goes on.
import { plural } from '../../../core/text/format-age.ts'
import { localAuthor } from '../../../inside/local-author.ts'
import type { Ao } from '../open-ao.ts'

/** Returns what was done, and what was not, in a few words. */
export async function pressRedButton(
  { manager, context }: Pick<Ao, 'manager' | 'context'>,
  kind: 'pause' | 'resume',
): Promise<string> {
  if (kind === 'pause') {
    const { pause, notStopped } = await manager.pauseFleet({ by: localAuthor(context.env) })
    return withFailures(`Paused: ${plural(pause.stopped.length, 'agent')} stopped`, notStopped)
  }
  const resumed = await manager.resumeFleet()
  if (resumed === null) return 'Nothing is paused'
  const count = resumed.continued.length + resumed.restored.length
  return withFailures(`Resumed: ${plural(count, 'agent')} ${count === 1 ? 'goes' : 'go'} on`, resumed.failed)
}

function withFailures(done: string, failures: ReadonlyArray<{ sessionId: string; why: string }>): string {
  return [done, ...failures.map(({ sessionId, why }) => `${sessionId} did not: ${why}`)].join('; ')
}
