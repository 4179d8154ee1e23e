// A search while somebody types, on the page and on the terminal board.
import { aghPaths } from '../../agh/paths.ts'
import type { SearchAnswer } from '../../contract/dashboard/search.ts'
import { parseQuery } from '../../core/search/parse-query.ts'
import type { ManagerContext } from '../../manager/context.ts'
import { transcriptsIn } from '../../manager/observe/transcripts.ts'
import { withIndex } from '../../search/index-file.ts'
import { searchSessions, workOf } from '../../search/search-sessions.ts'
import { expandQuery } from '../../store/saved.ts'

export const MOST_HITS = 20
/** A first index of many sessions is made search by search, and others are answered meanwhile. */
const SYNC_MS = 500

export async function findWords(context: ManagerContext, query: string): Promise<SearchAnswer> {
  const now = context.clock.now().getTime()
  const { text, note } = expandQuery(context.paths, query)
  const parsed = parseQuery(text, now)
  if (parsed.problem !== null) return { hits: [], problem: parsed.problem, isWhole: true }
  const found = await withIndex(context.paths, {}, (db) =>
    searchSessions(db, parsed, {
      stores: Object.keys(context.config.projects).map(context.store),
      agh: aghPaths(context.env, context.paths.home),
      limit: MOST_HITS,
      now,
      deadline: performance.now() + SYNC_MS,
      ...workOf(context.config, context.env),
      transcripts: transcriptsIn(context),
    }),
  )
  return { ...found, problem: found.hits.length === 0 ? note : null }
}
