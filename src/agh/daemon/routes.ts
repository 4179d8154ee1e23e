// The API: one row per route.
import type { IncomingMessage, ServerResponse } from 'node:http'
import * as z from 'zod/mini'
import { approveSchema, createSessionSchema, promptSchema, spawnSchema, stopSchema } from '../../contract/agh/api.ts'
import { toSessionEvent } from '../../contract/agh/events.ts'
import { AoError } from '../../contract/errors.ts'
import { groupByTurn } from '../../core/agh/group-by-turn.ts'
import { buildTranscript } from '../../core/agh/transcript.ts'
import { listAgentNames } from '../agents.ts'
import {
  approve,
  cancelPrompt,
  getSession,
  listSessions,
  newSession,
  promptSession,
  readEvents,
  repairTranscript,
  resume,
  spawnChild,
  stopSession,
} from '../runtime.ts'
import type { AghContext } from '../session/context.ts'
import { addWorkspace, findWorkspace, listWorkspaces, removeWorkspace } from '../workspaces.ts'
import { readBody, sendJson } from './exchange.ts'
import { observeHealth } from './observe-health.ts'
import { streamEvents } from './stream-events.ts'

export interface Call {
  context: AghContext
  request: IncomingMessage
  response: ServerResponse
  /** The part of the path in the place of `:id`, decoded. */
  id: string
  query: URLSearchParams
}

export interface Route {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  handle(call: Call): Promise<unknown>
}

const MAX_PAGE = 10_000
const ALL = Number.MAX_SAFE_INTEGER

export const SESSION_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/sessions',
    handle: async ({ context, query }) => ({
      sessions: await listSessions(context, { onlyLive: query.get('stopped') === 'false' }),
    }),
  },
  {
    method: 'POST',
    path: '/api/sessions',
    async handle({ context, request, response }) {
      const session = await newSession(context, await readBody(request, createSessionSchema))
      sendJson(response, 201, { session })
    },
  },
  {
    method: 'GET',
    path: '/api/sessions/:id',
    handle: async ({ context, id }) => ({ session: await getSession(context, id) }),
  },
  {
    method: 'DELETE',
    path: '/api/sessions/:id',
    handle: async ({ context, id, query }) => ({ session: await stopSession(context, id, query.get('detail')) }),
  },
  {
    method: 'POST',
    path: '/api/sessions/:id/stop',
    async handle({ context, id, request }) {
      const { detail } = await readBody(request, stopSchema)
      return { session: await stopSession(context, id, detail ?? null) }
    },
  },
  {
    method: 'POST',
    path: '/api/sessions/:id/resume',
    handle: async ({ context, id }) => ({ session: await resume(context, id) }),
  },
  {
    method: 'POST',
    path: '/api/sessions/:id/prompt',
    async handle({ context, id, request, response }) {
      const { message, queue } = await readBody(request, promptSchema)
      const { turnId, sequence } = await promptSession(context, id, message, { queue })
      await streamEvents(context, response, { sessionId: id, after: sequence - 1, turnId })
    },
  },
  {
    method: 'POST',
    path: '/api/sessions/:id/prompt/cancel',
    async handle({ context, id }) {
      await cancelPrompt(context, id)
      return { session: await getSession(context, id) }
    },
  },
  {
    method: 'POST',
    path: '/api/sessions/:id/approve',
    async handle({ context, id, request }) {
      const answer = await readBody(request, approveSchema)
      return { request_id: await approve(context, id, answer), decision: answer.decision }
    },
  },
  {
    method: 'POST',
    path: '/api/sessions/:id/repair',
    handle: async ({ context, id, query }) => ({
      repair: await repairTranscript(context, id, { dryRun: query.get('dry_run') === 'true' }),
    }),
  },
]

export const HISTORY_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/sessions/:id/events',
    async handle({ context, id, query }) {
      const rows = await readEvents(
        context,
        id,
        count(query, 'after', 0),
        Math.min(MAX_PAGE, count(query, 'limit', 1_000)),
      )
      return { events: rows.map((row) => toSessionEvent(id, row)) }
    },
  },
  {
    method: 'GET',
    path: '/api/sessions/:id/stream',
    async handle({ context, id, query, request, response }) {
      await getSession(context, id)
      const last = Number(request.headers['last-event-id'])
      const after = Number.isInteger(last) && last > 0 ? last : count(query, 'after', 0)
      await streamEvents(context, response, { sessionId: id, after })
    },
  },
  {
    method: 'GET',
    path: '/api/sessions/:id/history',
    handle: async ({ context, id }) => ({ history: groupByTurn(id, await readEvents(context, id, 0, ALL)) }),
  },
  {
    method: 'GET',
    path: '/api/sessions/:id/transcript',
    handle: async ({ context, id }) => ({ messages: buildTranscript(await readEvents(context, id, 0, ALL)) }),
  },
  {
    method: 'GET',
    path: '/api/sessions/:id/health',
    handle: async ({ context, id }) => ({ health: (await getSession(context, id)).health }),
  },
]

const workspaceSchema = z.strictObject({
  path: z.string(),
  name: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
})

export const OTHER_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/agent/spawn',
    async handle({ context, request, response }) {
      const token = String(request.headers['x-agh-session-token'] ?? '')
      sendJson(response, 201, { session: await spawnChild(context, token, await readBody(request, spawnSchema)) })
    },
  },
  { method: 'GET', path: '/api/observe/health', handle: ({ context }) => observeHealth(context) },
  { method: 'GET', path: '/api/agents', handle: async ({ context }) => ({ agents: listAgentNames(context.paths) }) },
  {
    method: 'GET',
    path: '/api/workspaces',
    handle: async ({ context }) => ({ workspaces: listWorkspaces(context.paths) }),
  },
  {
    method: 'POST',
    path: '/api/workspaces',
    async handle({ context, request, response }) {
      const { path, name } = await readBody(request, workspaceSchema)
      sendJson(response, 201, { workspace: addWorkspace(context.paths, path, name) })
    },
  },
  {
    method: 'GET',
    path: '/api/workspaces/:id',
    handle: async ({ context, id }) => ({ workspace: findWorkspace(context.paths, id) }),
  },
  {
    method: 'DELETE',
    path: '/api/workspaces/:id',
    handle: async ({ context, id }) => ({ workspace: removeWorkspace(context.paths, id) }),
  },
]

function count(query: URLSearchParams, name: string, byDefault: number): number {
  const text = query.get(name)
  if (text === null) return byDefault
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new AoError('USAGE', `${name} must be a number, not ${text}`)
}
