// Words in everything that sessions leave behind, for the palette.
import { aghPaths } from '../../agh/paths.ts'
import { searchAnswer } from '../../contract/dashboard/search.ts'
import { parseQuery } from '../../core/search/parse-query.ts'
import { withIndex } from '../../search/index-file.ts'
import { searchSessions } from '../../search/search-sessions.ts'
import { route } from '../server/dashboard-route.ts'

const MOST_HITS = 20
/** A first index of many sessions is made request by request, and others are answered meanwhile. */
const SYNC_MS = 500

export const SEARCH_ROUTES = [
  route({
    method: 'GET',
    path: '/api/search',
    summary: `Where words occur in prompts, messages, terminals and conversations, newest first, at most ${MOST_HITS}`,
    query: { q: 'Words and filters, as for ao search' },
    answer: searchAnswer,
    async handle({ context, query }) {
      const now = context.clock.now().getTime()
      const parsed = parseQuery(query.get('q') ?? '', now)
      if (parsed.problem !== null) return { hits: [], problem: parsed.problem, isWhole: true }
      const found = await withIndex(context.paths, {}, (db) =>
        searchSessions(db, parsed, {
          stores: Object.keys(context.config.projects).map(context.store),
          agh: aghPaths(context.env, context.paths.home),
          limit: MOST_HITS,
          now,
          deadline: performance.now() + SYNC_MS,
        }),
      )
      return { ...found, problem: null }
    },
  }),
]
