// Pull requests on a forge without a query for many: each session's is read separately, a few at a time, and a failure for
// one does not affect the others.
import { errorText } from '../../contract/errors.ts'
import type { PrQuery, PrReading } from '../../slots/scm.ts'

const AT_ONCE = 4
const NOT_READ: PrReading = { kind: 'unknown', why: 'it was not read' }

/** `prepare` reads what all of them share; when it fails, all of them are unknown. */
export async function readQueries(
  queries: readonly PrQuery[],
  prepare: () => Promise<(query: PrQuery) => Promise<PrReading>>,
): Promise<Map<string, PrReading>> {
  // In the order of the sessions, whichever response comes first.
  const readings = new Map(queries.map(({ sessionId }) => [sessionId, NOT_READ]))
  const unknown = (error: unknown): PrReading => ({ kind: 'unknown', why: errorText(error).slice(0, 500) })
  try {
    const readOne = await prepare()
    const left = [...queries]
    const work = async () => {
      for (let query = left.shift(); query !== undefined; query = left.shift()) {
        readings.set(query.sessionId, await readOne(query).catch(unknown))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  } catch (error) {
    for (const { sessionId } of queries) readings.set(sessionId, unknown(error))
  }
  return readings
}
