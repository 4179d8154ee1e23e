// Routes for programs that run their sessions on agh. They take environments and commands, so they are served on the Unix
// socket only.
import * as z from 'zod/mini'
import { EventAnswer, oneSession, SessionAnswer, TrimAnswer } from '../../../contract/agh/answers.ts'
import { MOST_REQUEST_BYTES } from '../../../contract/agh/attachment.ts'
import {
  driveAgainSchema,
  drivenMessageSchema,
  driverMessageSchema,
  driverReadingSchema,
  driverStopSchema,
  driveSchema,
} from '../../../contract/agh/driver.ts'
import { toSessionEvent } from '../../../contract/agh/events.ts'
import { AoError } from '../../../contract/errors.ts'
import { EVERYONE, ORCHESTRATOR, READ } from '../../../core/boundary/rights.ts'
import { readCount } from '../../../http/route-table.ts'
import {
  drive,
  findMessage,
  getDriven,
  getSession,
  readRecent,
  resumeDriven,
  sendMessage,
  stopSession,
  trimSession,
} from '../../runtime.ts'
import type { AghContext } from '../../session/context.ts'
import { route } from './agh-route.ts'

const MAX_RECENT = 10_000

export const DRIVER_ROUTES = [
  route({
    method: 'POST',
    path: '/api/driver/sessions',
    // An orchestrator's `ao spawn` and `ao send` come from inside its session, too.
    inside: ORCHESTRATOR,
    summary: 'Start a session of another program',
    body: driveSchema,
    status: 201,
    answer: oneSession,
    handle: async ({ context, body }) => ({ session: await drive(context, body) }),
  }),
  route({
    method: 'GET',
    path: '/api/driver/sessions',
    inside: EVERYONE,
    summary: 'Look up a session by driver key',
    query: { key: 'The name that its program gave it' },
    answer: z.object({ session: z.nullable(SessionAnswer) }),
    handle: async ({ context, query }) => ({ session: getDriven(context, query.get('key') ?? '') }),
  }),
  route({
    method: 'POST',
    path: '/api/driver/sessions/look',
    // A list of ids as its body: it only reads.
    inside: EVERYONE,
    summary: 'Several sessions at once; null for one that is not there',
    body: driverReadingSchema,
    answer: z.object({ sessions: z.record(z.string(), z.nullable(SessionAnswer)) }),
    handle: async ({ context, body }) => {
      const views = await Promise.all(body.ids.map(async (id) => [id, await viewIfThere(context, id)] as const))
      return { sessions: Object.fromEntries(views) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/driver/sessions/:id/recent',
    inside: READ,
    summary: 'The last events, oldest first',
    query: { limit: 'Maximum number (default 100)' },
    answer: z.object({ events: z.array(EventAnswer) }),
    handle: async ({ context, params, query }) => {
      const rows = await readRecent(context, params.id, Math.min(MAX_RECENT, readCount(query, 'limit', 100)))
      return { events: rows.map((row) => toSessionEvent(params.id, row)) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/driver/sessions/:id/resume',
    inside: ORCHESTRATOR,
    summary: 'Start it again under the same id',
    body: driveAgainSchema,
    answer: oneSession,
    handle: async ({ context, params, body }) => ({ session: await resumeDriven(context, params.id, body) }),
  }),
  route({
    method: 'POST',
    path: '/api/driver/sessions/:id/stop',
    inside: ORCHESTRATOR,
    summary: "Stop it, giving the agent its driver's grace period",
    body: driverStopSchema,
    answer: oneSession,
    handle: async ({ context, params, body }) => ({
      session: await stopSession(context, params.id, null, { force: body.force, graceMs: body.grace_ms }),
    }),
  }),
  route({
    method: 'POST',
    // For people only, as that of the other sessions.
    path: '/api/driver/sessions/:id/trim',
    summary: 'Drop all but the end of its event log, and the files attached to what goes',
    answer: z.object({ trim: TrimAnswer }),
    handle: async ({ context, params }) => ({ trim: await trimSession(context, params.id, { byDriver: true }) }),
  }),
  route({
    method: 'POST',
    path: '/api/driver/sessions/:id/messages',
    inside: ORCHESTRATOR,
    summary: 'Hand a message over, or queue it behind the turn that runs',
    body: driverMessageSchema,
    mostBytes: MOST_REQUEST_BYTES,
    answer: drivenMessageSchema,
    handle: async ({ context, params, body }) => sendMessage(context, params.id, body),
  }),
  route({
    method: 'GET',
    path: '/api/driver/sessions/:id/messages/:message',
    inside: READ,
    summary: 'How far a message got',
    answer: drivenMessageSchema,
    handle: async ({ context, params }) => findMessage(context, params.id, params.message),
  }),
] as const

async function viewIfThere(context: AghContext, id: string) {
  try {
    return await getSession(context, id)
  } catch (error) {
    if (error instanceof AoError && error.code === 'SESSION_NOT_FOUND') return null
    throw error
  }
}
