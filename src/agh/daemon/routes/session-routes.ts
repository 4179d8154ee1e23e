// Routes that start, change and end sessions.
import * as z from 'zod/mini'
import { oneSession, RepairAnswer, sessionList, TrimAnswer } from '../../../contract/agh/answers.ts'
import {
  approveSchema,
  createSessionSchema,
  messageOf,
  promptSchema,
  resumeSchema,
  settingsSchema,
  spawnSchema,
  stopSchema,
} from '../../../contract/agh/api.ts'
import { MOST_REQUEST_BYTES } from '../../../contract/agh/attachment.ts'
import { wakeReportSchema } from '../../../contract/agh/heartbeat.ts'
import { ACT, EVERYONE, READ, rights } from '../../../core/boundary/rights.ts'
import { sendJsonText } from '../../../http/exchange.ts'
import {
  approve,
  cancelPrompt,
  changeSettings,
  getSession,
  listFamily,
  listSessionsText,
  newSession,
  promptSession,
  repairTranscript,
  resume,
  spawnChild,
  stopSession,
  trimSession,
  wakeSession,
} from '../../runtime.ts'
import { FORMAT_ABOUT, readEncoding, streamEvents } from '../stream-events.ts'
import { overSocket, route } from './agh-route.ts'

export const SESSION_ROUTES = [
  route({
    method: 'GET',
    path: '/api/sessions',
    inside: EVERYONE,
    summary: 'The sessions, oldest first',
    query: { stopped: '`false` leaves out the stopped ones' },
    answer: sessionList,
    async handle({ context, caller, query, response }) {
      const options = { onlyLive: query.get('stopped') === 'false' }
      // An agent sees its own session and those that it spawned.
      if (caller !== null) return listFamily(context, caller, options)
      sendJsonText(response, 200, await listSessionsText(context, options))
      return undefined
    },
  }),
  route({
    method: 'POST',
    path: '/api/sessions',
    summary: 'Start a session',
    body: createSessionSchema,
    status: 201,
    answer: oneSession,
    handle: async ({ context, body, request }) => ({
      session: await newSession(context, { ...body, environment: overSocket(request, body.environment) }),
    }),
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id',
    inside: READ,
    summary: 'One session',
    answer: oneSession,
    handle: async ({ context, params }) => ({ session: await getSession(context, params.id) }),
  }),
  route({
    method: 'PATCH',
    path: '/api/sessions/:id',
    summary: 'Choose a mode, a model or other options of the agent',
    body: settingsSchema,
    answer: oneSession,
    async handle({ context, params, body }) {
      await changeSettings(context, params.id, body)
      return { session: await getSession(context, params.id) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/sessions/:id',
    inside: ACT,
    summary: 'Stop a session; its history stays',
    query: { detail: 'Why, in words' },
    answer: oneSession,
    handle: async ({ context, params, query }) => ({
      session: await stopSession(context, params.id, query.get('detail')),
    }),
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/stop',
    inside: ACT,
    summary: 'Stop a session; its history stays',
    body: stopSchema,
    answer: oneSession,
    handle: async ({ context, params, body }) => ({
      session: await stopSession(context, params.id, body.detail ?? null),
    }),
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/resume',
    inside: ACT,
    summary: 'Start a stopped session again under the same id',
    query: { fresh: '`true` begins a new conversation with a recap, whatever the agent still has of the old one' },
    body: resumeSchema,
    answer: oneSession,
    handle: async ({ context, params, query, body, request }) => ({
      session: await resume(context, params.id, {
        fresh: query.get('fresh') === 'true',
        environment: overSocket(request, body.environment),
      }),
    }),
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/prompt',
    inside: ACT,
    summary: 'Begin a turn, and stream its events until it ends',
    query: { format: FORMAT_ABOUT },
    body: promptSchema,
    mostBytes: MOST_REQUEST_BYTES,
    stream: 'text/event-stream',
    async handle({ context, params, query, body, request, response }) {
      const encoding = readEncoding(query, request)
      const { turnId, sequence } = await promptSession(context, params.id, messageOf(body), {
        queue: body.queue,
        files: body.files,
      })
      await streamEvents(context, response, { sessionId: params.id, after: sequence - 1, turnId, ...encoding })
    },
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/prompt/cancel',
    inside: ACT,
    summary: 'Cancel the turn that runs',
    answer: oneSession,
    async handle({ context, params }) {
      await cancelPrompt(context, params.id)
      return { session: await getSession(context, params.id) }
    },
  }),
  route({
    method: 'POST',
    // For people only: a parent could ask through its child what it may not do itself.
    path: '/api/sessions/:id/approve',
    summary: 'Answer a permission request',
    body: approveSchema,
    answer: z.object({ request_id: z.string(), decision: z.optional(z.string()) }),
    handle: async ({ context, params, body }) => ({
      request_id: await approve(context, params.id, body),
      decision: body.decision,
    }),
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/wake',
    inside: ACT,
    summary: "Wake an idle session with its agent's HEARTBEAT.md, if it is eligible",
    query: { dry_run: '`true` only says what would be done' },
    answer: z.object({ wake: wakeReportSchema }),
    handle: async ({ context, params, query }) => ({
      wake: await wakeSession(context, params.id, { manual: true, dryRun: query.get('dry_run') === 'true' }),
    }),
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/repair',
    summary: 'Close the turns that a crash left open',
    query: { dry_run: '`true` only says what would be appended' },
    answer: z.object({ repair: RepairAnswer }),
    handle: async ({ context, params, query }) => ({
      repair: await repairTranscript(context, params.id, { dryRun: query.get('dry_run') === 'true' }),
    }),
  }),
  route({
    method: 'POST',
    // For people only, as everything that cannot be brought back.
    path: '/api/sessions/:id/trim',
    summary:
      'Drop all but the end of the event log of a stopped session, and the files attached to what goes, to free the disk; its first event says so',
    answer: z.object({ trim: TrimAnswer }),
    handle: async ({ context, params }) => ({ trim: await trimSession(context, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/api/agent/spawn',
    inside: rights('no', 'no', 'yes'),
    summary: 'Start a child session, from inside a session (header `x-agh-session-token`)',
    body: spawnSchema,
    status: 201,
    answer: oneSession,
    handle: async ({ context, caller, body }) => ({ session: await spawnChild(context, caller, body) }),
  }),
] as const
