// Pull requests on a forge without a query for many: each session's is read separately, a few at a time, and a failure for
// one does not affect the others.
import { errorText } from '../../contract/errors.ts'
import type { Pull, PullRef } from '../../contract/pull.ts'
import { isSafeBranch } from '../../core/session/name-branch.ts'
import type { PrQuery, PrReading } from '../../slots/scm.ts'

const AT_ONCE = 4
const NOT_READ: PrReading = { kind: 'unknown', why: 'it was not read' }

interface SessionPulls<Listed> {
  /** Open ones of the repository's own branches, oldest first; asked for only when a session has none yet. */
  listOpen(): Promise<Array<{ branch: string; pull: Listed }>>
  numberOf(pull: Listed): number
  /** null: it is one of another repository. */
  numberIn(pr: PullRef): number | null
  read(number: number): Promise<Pull>
  /** As in "is not a pull request of …". */
  kind: string
}

/** When the project or the list that all of them share cannot be read, all of them are unknown. */
export async function readQueries<Listed>(
  queries: readonly PrQuery[],
  prepare: () => SessionPulls<Listed>,
): Promise<Map<string, PrReading>> {
  // In the order of the sessions, whichever response comes first.
  const readings = new Map(queries.map(({ sessionId }) => [sessionId, NOT_READ]))
  const unknown = (error: unknown): PrReading => ({ kind: 'unknown', why: errorText(error).slice(0, 500) })
  try {
    const pulls = prepare()
    const isListed = queries.some(({ pr, branch }) => pr === null && branch !== null)
    // Of several on one branch the newest stays.
    const open = new Map((isListed ? await pulls.listOpen() : []).map(({ branch, pull }) => [branch, pull]))
    const left = [...queries]
    const work = async () => {
      for (let query = left.shift(); query !== undefined; query = left.shift()) {
        readings.set(query.sessionId, await readOne(query, open, pulls).catch(unknown))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  } catch (error) {
    for (const { sessionId } of queries) readings.set(sessionId, unknown(error))
  }
  return readings
}

async function readOne<Listed>(
  { pr, branch }: PrQuery,
  open: ReadonlyMap<string, Listed>,
  pulls: SessionPulls<Listed>,
): Promise<PrReading> {
  if (pr === null) {
    const found = branch === null || !isSafeBranch(branch) ? undefined : open.get(branch)
    if (found === undefined) return { kind: 'none' }
    return { kind: 'read', snapshot: await pulls.read(pulls.numberOf(found)) }
  }
  const number = pulls.numberIn(pr)
  if (number !== null) return { kind: 'read', snapshot: await pulls.read(number) }
  return { kind: 'unknown', why: `${pr.url} is not a ${pulls.kind}` }
}
