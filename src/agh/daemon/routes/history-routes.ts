// Routes that show what a session did.
import * as z from 'zod/mini'
import { EventAnswer, HookRunAnswer, MessageAnswer, UsageAnswer } from '../../../contract/agh/answers.ts'
import { toSessionEvent } from '../../../contract/agh/events.ts'
import { healthSchema } from '../../../contract/agh/session-meta.ts'
import { groupByTurn } from '../../../core/agh/transcript/group-by-turn.ts'
import { buildTranscript } from '../../../core/agh/transcript/transcript.ts'
import { READ } from '../../../core/boundary/rights.ts'
import { readCount } from '../../../http/route-table.ts'
import { sendAttachment } from '../../../http/send-file.ts'
import {
  getSession,
  readAttached,
  readEvents,
  readHookRuns,
  readIfWhole,
  readRecent,
  readUsage,
} from '../../runtime.ts'
import { FORMAT_ABOUT, readEncoding, streamEvents } from '../stream-events.ts'
import { route } from './agh-route.ts'

const MAX_PAGE = 10_000
const ALL = Number.MAX_SAFE_INTEGER

export const HISTORY_ROUTES = [
  route({
    method: 'GET',
    path: '/api/sessions/:id/attachments/:hash',
    inside: READ,
    summary: 'A file that went along with a prompt; a picture, or a download',
    stream: 'application/octet-stream',
    handle: async ({ context, params, response }) =>
      sendAttachment(response, readAttached(context, params.id, params.hash)),
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id/events',
    inside: READ,
    summary: 'A page of the history, in order',
    query: {
      after: 'The sequence of the last event that you have',
      limit: 'Maximum number of events (default 1000)',
      last: 'Only the newest N',
      type: 'Of the newest: only events of this type',
    },
    answer: z.object({ events: z.array(EventAnswer) }),
    async handle({ context, params, query }) {
      const limit = Math.min(MAX_PAGE, readCount(query, 'limit', 1_000))
      const last = Math.min(MAX_PAGE, readCount(query, 'last', 0))
      const rows = query.has('last')
        ? await readRecent(context, params.id, last, query.get('type'))
        : await readEvents(context, params.id, readCount(query, 'after', 0), limit)
      return { events: rows.map((row) => toSessionEvent(params.id, row)) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id/stream',
    inside: READ,
    summary: 'The history as server-sent events, then what happens, until the session ends',
    query: { after: 'The sequence of the last event that you have; `Last-Event-ID` wins', format: FORMAT_ABOUT },
    stream: 'text/event-stream',
    async handle({ context, params, query, request, response }) {
      readIfWhole(context, params.id)
      const last = Number(request.headers['last-event-id'])
      const after = Number.isInteger(last) && last > 0 ? last : readCount(query, 'after', 0)
      await streamEvents(context, response, { sessionId: params.id, after, ...readEncoding(query, request) })
    },
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id/history',
    inside: READ,
    summary: 'The history by turns',
    answer: z.object({
      history: z.array(z.object({ turn_id: z.nullable(z.string()), events: z.array(EventAnswer) })),
    }),
    handle: async ({ context, params }) => ({
      history: groupByTurn(params.id, await readEvents(context, params.id, 0, ALL)),
    }),
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id/transcript',
    inside: READ,
    summary: 'The conversation as messages',
    answer: z.object({ messages: z.array(MessageAnswer) }),
    handle: async ({ context, params }) => ({
      messages: buildTranscript(await readEvents(context, params.id, 0, ALL)),
    }),
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id/usage',
    inside: READ,
    summary: 'Tokens of each turn, as reported by the agent',
    answer: z.object({ usage: z.array(UsageAnswer) }),
    handle: async ({ context, params }) => ({ usage: await readUsage(context, params.id) }),
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id/hook-runs',
    inside: READ,
    summary: 'The runs of hooks, oldest first',
    answer: z.object({ hook_runs: z.array(HookRunAnswer) }),
    handle: async ({ context, params }) => ({ hook_runs: await readHookRuns(context, params.id) }),
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id/health',
    inside: READ,
    summary: 'Session health only',
    answer: z.object({ health: healthSchema }),
    handle: async ({ context, params }) => ({ health: (await getSession(context, params.id)).health }),
  }),
] as const
