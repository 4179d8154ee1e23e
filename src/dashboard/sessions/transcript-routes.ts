// The part of a conversation that the stream did not bring along: page by page towards its beginning, and where words occur.
import { transcriptFoundAnswer, transcriptPartAnswer } from '../../contract/dashboard/messages.ts'
import { findBefore, partBefore } from '../../core/agh/transcript/pages.ts'
import { readCount } from '../../http/route-table.ts'
import { route } from '../server/dashboard-route.ts'

const END = Number.MAX_SAFE_INTEGER

export const TRANSCRIPT_ROUTES = [
  route({
    method: 'GET',
    path: '/api/sessions/:id/transcript',
    summary: 'A part of its conversation, in order: what comes before a message (`runtime: acp`)',
    query: {
      before: 'Sequence of the message before which it ends; without it, the end of the conversation',
      from: 'Everything from the message with this sequence on',
    },
    answer: transcriptPartAnswer,
    handle: async ({ context, params, query }) =>
      context.transcripts.use(params.id, ({ messages }) => {
        const from = query.has('from') ? readCount(query, 'from', 0) : undefined
        return structuredClone(partBefore(messages, { before: readCount(query, 'before', END), from }))
      }),
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id/transcript/found',
    summary: 'Which messages of its conversation contain all of these words, at most the newest 1000',
    query: { q: 'The words', before: 'Only messages before the one with this sequence' },
    answer: transcriptFoundAnswer,
    handle: async ({ context, params, query }) =>
      context.transcripts.use(params.id, ({ messages }) => ({
        sequences: findBefore(messages, query.get('q') ?? '', readCount(query, 'before', END)),
      })),
  }),
]
