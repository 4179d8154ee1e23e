// Routes of the server itself: signed-in state, signing out, the stream, and the API's own description.
import * as z from 'zod/mini'
import { accessAnswer, doneAnswer } from '../../contract/dashboard/answers.ts'
import { LEAN_CARDS, STREAM_PATH } from '../../contract/dashboard/stream.ts'
import { openEventStream } from '../../http/event-stream.ts'
import type { DashboardContext } from '../server/context.ts'
import { route } from '../server/dashboard-route.ts'
import { signOut } from './sign-in.ts'

export const ACCESS_ROUTES = [
  route({
    method: 'GET',
    path: '/api/access',
    summary: 'Whether the caller is signed in: an answer, or 401',
    answer: accessAnswer,
    handle: async ({ context, caller }) => {
      const device = caller.kind === 'device' ? { id: caller.id, name: caller.name } : null
      return { signedIn: true as const, as: caller.kind, right: caller.right, device, version: context.version }
    },
  }),
  route({
    method: 'POST',
    path: '/api/sign-out',
    summary: 'Sign this browser out; a paired device is revoked',
    notIdempotent: true,
    body: z.strictObject({}),
    answer: doneAnswer,
    handle: async ({ context, caller, response }) => {
      signOut(context.access, caller, response)
      // Its other pages too: their open connections end now.
      context.connections.check()
      return { ok: true as const }
    },
  }),
  route({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This API as OpenAPI 3.1',
    answer: z.record(z.string(), z.unknown()),
    handle: ({ context }) => context.describeApi(),
  }),
  route({
    method: 'GET',
    path: STREAM_PATH,
    summary: 'The board and its changes as server-sent events; Last-Event-ID continues where a reader stopped',
    query: {
      session: 'Also the history and the transcript of this session',
      cards: '`lean`: cards leave out what nearly all of them have, for the page',
      cursor: 'Instead of the header Last-Event-ID, where that cannot be set',
    },
    stream: 'text/event-stream',
    handle: async ({ context, caller, request, response, query }) => {
      openEventStream(response)
      const leave = context.connections.admit(caller, () => response.destroy())
      await observed(context, () =>
        context.stream(response, {
          sessionId: query.get('session') || null,
          lastEventId: headerText(request.headers['last-event-id']) ?? query.get('cursor'),
          isLean: query.get('cards') === LEAN_CARDS,
        }),
      ).finally(leave)
      return undefined
    },
  }),
]

async function observed({ observe }: DashboardContext, run: () => Promise<void>): Promise<void> {
  const started = performance.now()
  observe?.('sse_connect', { projectId: '*', outcome: 'success', durationMs: 0 })
  try {
    await run()
  } finally {
    const durationMs = Math.round(performance.now() - started)
    observe?.('sse_disconnect', { projectId: '*', outcome: 'success', durationMs })
  }
}

function headerText(value: string | string[] | undefined): string | null {
  return typeof value === 'string' ? value : null
}
