// Words in everything that sessions leave behind, for the palette; pins and saved searches.
import { pinBody, saveQueryBody } from '../../contract/dashboard/requests.ts'
import { savedAnswer, searchAnswer } from '../../contract/dashboard/search.ts'
import { requireAnySession } from '../../manager/observe/require-session.ts'
import { pin, readSaved, saveQuery, unpin } from '../../store/saved.ts'
import type { DashboardContext } from '../server/context.ts'
import { route } from '../server/dashboard-route.ts'
import { findWords, MOST_HITS } from './find-words.ts'

export const SEARCH_ROUTES = [
  route({
    method: 'GET',
    path: '/api/search',
    summary: `Where words occur in prompts, messages, terminals, conversations and diffs, newest first, at most ${MOST_HITS}`,
    query: { q: 'Words and filters, as for ao search; @name for a saved search' },
    answer: searchAnswer,
    handle: ({ context, query }) => findWords(context, query.get('q') ?? ''),
  }),
  route({
    method: 'GET',
    path: '/api/saved',
    summary: 'Pinned sessions and saved searches, the same as in the terminal',
    answer: savedAnswer,
    handle: async ({ context }) => describeSaved(context),
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/pin',
    summary: 'Pin it, in a folder or in none, or unpin it',
    body: pinBody,
    answer: savedAnswer,
    async handle({ context, params, body: { pinned, folder } }) {
      if (pinned) await pin(context.paths, (await requireAnySession(context, params.id)).session.id, folder ?? null)
      else await unpin(context.paths, params.id)
      context.board.touch(params.id)
      return describeSaved(context)
    },
  }),
  route({
    method: 'POST',
    path: '/api/searches/:name',
    summary: 'Save a search under a name; null: forget it',
    body: saveQueryBody,
    answer: savedAnswer,
    async handle({ context, params, body }) {
      await saveQuery(context.paths, params.name, body.query)
      return describeSaved(context)
    },
  }),
]

function describeSaved({ paths }: Pick<DashboardContext, 'paths'>) {
  const { pins, queries, problem } = readSaved(paths)
  return { pins, queries: Object.entries(queries).map(([name, query]) => ({ name, query })), problem }
}
