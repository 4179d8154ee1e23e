// The API: one row per route.
import * as z from 'zod/mini'
import { approveSchema, createSessionSchema, promptSchema, spawnSchema, stopSchema } from '../../contract/agh/api.ts'
import { toSessionEvent } from '../../contract/agh/events.ts'
import { groupByTurn } from '../../core/agh/group-by-turn.ts'
import { buildTranscript } from '../../core/agh/transcript.ts'
import { sendJsonText } from '../../lib/http/exchange.ts'
import { type Route, readCount, route } from '../../lib/http/route-table.ts'
import { listAgentNames } from '../agents.ts'
import {
  approve,
  cancelPrompt,
  getSession,
  listSessionsText,
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
import { observeHealth } from './observe-health.ts'
import { streamEvents } from './stream-events.ts'

export type AghRoute = Route<AghContext>

const MAX_PAGE = 10_000
const ALL = Number.MAX_SAFE_INTEGER

export const SESSION_ROUTES: readonly AghRoute[] = [
  route({
    method: 'GET',
    path: '/api/sessions',
    summary: 'The sessions, oldest first',
    query: { stopped: '`false` leaves out the stopped ones' },
    handle: async ({ place, query, response }) =>
      sendJsonText(response, 200, await listSessionsText(place, { onlyLive: query.get('stopped') === 'false' })),
  }),
  route({
    method: 'POST',
    path: '/api/sessions',
    summary: 'Start a session',
    body: createSessionSchema,
    status: 201,
    handle: async ({ place, body }) => ({ session: await newSession(place, body) }),
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id',
    summary: 'One session',
    handle: async ({ place, params }) => ({ session: await getSession(place, params.id!) }),
  }),
  route({
    method: 'DELETE',
    path: '/api/sessions/:id',
    summary: 'Stop a session; its history stays',
    query: { detail: 'Why, in words' },
    handle: async ({ place, params, query }) => ({
      session: await stopSession(place, params.id!, query.get('detail')),
    }),
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/stop',
    summary: 'Stop a session; its history stays',
    body: stopSchema,
    handle: async ({ place, params, body }) => ({ session: await stopSession(place, params.id!, body.detail ?? null) }),
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/resume',
    summary: 'Start a stopped session again under the same id',
    handle: async ({ place, params }) => ({ session: await resume(place, params.id!) }),
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/prompt',
    summary: 'Begin a turn, and stream its events until it ends',
    body: promptSchema,
    async handle({ place, params, body, response }) {
      const { turnId, sequence } = await promptSession(place, params.id!, body.message, { queue: body.queue })
      await streamEvents(place, response, { sessionId: params.id!, after: sequence - 1, turnId })
    },
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/prompt/cancel',
    summary: 'Cancel the turn that runs',
    async handle({ place, params }) {
      await cancelPrompt(place, params.id!)
      return { session: await getSession(place, params.id!) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/approve',
    summary: 'Answer a permission request',
    body: approveSchema,
    handle: async ({ place, params, body }) => ({
      request_id: await approve(place, params.id!, body),
      decision: body.decision,
    }),
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/repair',
    summary: 'Close the turns that a crash left open',
    query: { dry_run: '`true` only says what would be appended' },
    handle: async ({ place, params, query }) => ({
      repair: await repairTranscript(place, params.id!, { dryRun: query.get('dry_run') === 'true' }),
    }),
  }),
]

export const HISTORY_ROUTES: readonly AghRoute[] = [
  route({
    method: 'GET',
    path: '/api/sessions/:id/events',
    summary: 'A page of the history, in order',
    query: { after: 'The sequence of the last event that you have', limit: 'At most so many, 1000 without it' },
    async handle({ place, params, query }) {
      const limit = Math.min(MAX_PAGE, readCount(query, 'limit', 1_000))
      const rows = await readEvents(place, params.id!, readCount(query, 'after', 0), limit)
      return { events: rows.map((row) => toSessionEvent(params.id!, row)) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id/stream',
    summary: 'The history as server-sent events, then what happens, until the session ends',
    query: { after: 'The sequence of the last event that you have; `Last-Event-ID` wins' },
    async handle({ place, params, query, request, response }) {
      await getSession(place, params.id!)
      const last = Number(request.headers['last-event-id'])
      const after = Number.isInteger(last) && last > 0 ? last : readCount(query, 'after', 0)
      await streamEvents(place, response, { sessionId: params.id!, after })
    },
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id/history',
    summary: 'The history by turns',
    handle: async ({ place, params }) => ({
      history: groupByTurn(params.id!, await readEvents(place, params.id!, 0, ALL)),
    }),
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id/transcript',
    summary: 'The conversation as messages',
    handle: async ({ place, params }) => ({
      messages: buildTranscript(await readEvents(place, params.id!, 0, ALL)),
    }),
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id/health',
    summary: 'Whether the session is well, without its contents',
    handle: async ({ place, params }) => ({ health: (await getSession(place, params.id!)).health }),
  }),
]

const workspaceSchema = z.strictObject({
  path: z.string(),
  name: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
})

export const OTHER_ROUTES: readonly AghRoute[] = [
  route({
    method: 'POST',
    path: '/api/agent/spawn',
    summary: 'Start a child session, from inside a session (header `x-agh-session-token`)',
    body: spawnSchema,
    status: 201,
    async handle({ place, request, body }) {
      const token = String(request.headers['x-agh-session-token'] ?? '')
      return { session: await spawnChild(place, token, body) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/observe/health',
    summary: 'The health of the daemon and of its sessions',
    handle: ({ place }) => observeHealth(place),
  }),
  route({
    method: 'GET',
    path: '/api/agents',
    summary: 'The agents that sessions can use',
    handle: async ({ place }) => ({ agents: listAgentNames(place.paths) }),
  }),
  route({
    method: 'GET',
    path: '/api/workspaces',
    summary: 'The registered workspaces',
    handle: async ({ place }) => ({ workspaces: listWorkspaces(place.paths) }),
  }),
  route({
    method: 'POST',
    path: '/api/workspaces',
    summary: 'Register a workspace',
    body: workspaceSchema,
    status: 201,
    handle: async ({ place, body }) => ({ workspace: addWorkspace(place.paths, body.path, body.name) }),
  }),
  route({
    method: 'GET',
    path: '/api/workspaces/:id',
    summary: 'One workspace, by name or id',
    handle: async ({ place, params }) => ({ workspace: findWorkspace(place.paths, params.id!) }),
  }),
  route({
    method: 'DELETE',
    path: '/api/workspaces/:id',
    summary: 'Forget a workspace; its files stay',
    handle: async ({ place, params }) => ({ workspace: removeWorkspace(place.paths, params.id!) }),
  }),
]
