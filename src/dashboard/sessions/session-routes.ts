// Routes of sessions: everything goes through the manager that the command line uses.

import { MOST_REQUEST_BYTES } from '../../contract/agh/attachment.ts'
import {
  doneAnswer,
  mergeAnswer,
  permissionAnswer,
  restoreAnswer,
  sendAnswer,
  sessionDetail,
  spawnAnswer,
  ticketAnswer,
} from '../../contract/dashboard/answers.ts'
import { boardAnswer, endedAnswer } from '../../contract/dashboard/cards.ts'
import {
  killBody,
  mergeBody,
  permissionBody,
  restoreBody,
  sendBody,
  spawnBody,
  ticketBody,
} from '../../contract/dashboard/requests.ts'
import { requireSession } from '../../manager/observe/require-session.ts'
import { givenFiles } from '../../store/attachments.ts'
import type { Ticket } from '../access/tickets.ts'
import type { DashboardContext } from '../server/context.ts'
import { route } from '../server/dashboard-route.ts'
import { ENDED_QUERY, readEnded } from './read-ended.ts'
import { readDetail } from './session-detail.ts'
import { spawnSessions } from './session-spawn.ts'
import { done, touching } from './touching.ts'

const ONE = '/api/sessions/:id'

export const SESSION_ROUTES = [
  route({
    method: 'GET',
    path: '/api/sessions',
    summary:
      'The board as it is now: sessions with the newest of the ended, projects, notices. Pages follow /api/stream instead',
    answer: boardAnswer,
    handle: async ({ context }) => {
      await context.board.fresh()
      return context.board.read()
    },
  }),
  route({
    method: 'GET',
    path: '/api/ended',
    summary: 'Ended sessions that need no attention, the newest end first, page by page',
    query: ENDED_QUERY,
    answer: endedAnswer,
    handle: async ({ context, query }) => readEnded(context, query),
  }),
  route({
    method: 'POST',
    path: '/api/sessions',
    summary: 'Start one session per issue, or one with only a prompt',
    body: spawnBody,
    mostBytes: MOST_REQUEST_BYTES,
    answer: spawnAnswer,
    handle: async ({ context, body }) => spawnSessions(context, body),
  }),
  route({
    method: 'GET',
    path: ONE,
    summary: 'A session with its history and why it is in its status, archived ones too',
    answer: sessionDetail,
    handle: async ({ context, params }) => readDetail(context, params.id),
  }),
  route({
    method: 'POST',
    path: `${ONE}/send`,
    summary: 'Say something to the agent; the receipt says how far it got',
    body: sendBody,
    mostBytes: MOST_REQUEST_BYTES,
    answer: sendAnswer,
    handle: async ({ context, caller, params, body: { message, interrupt, files } }) => {
      const how = { source: 'user', by: caller.name, byPerson: true, interrupt, files: files && givenFiles(files) }
      return { receipt: await touching(context, params.id, () => context.manager.deliver(params.id, message, how)) }
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/permission`,
    summary: 'Answer a question of the agent',
    body: permissionBody,
    answer: permissionAnswer,
    handle: async ({ context, caller, params, body }) => {
      const answer = await context.manager.answerPermission(params.id, { ...body, by: caller.name })
      context.board.touch(params.id)
      return { ok: true as const, ...answer }
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/kill`,
    summary: 'End the agent and keep its workspace; with purge also remove that and archive the session',
    body: killBody,
    answer: doneAnswer,
    handle: async ({ context, params, body }) =>
      done(context, params.id, () => context.manager.kill(params.id, { keepWorkspace: body.purge !== true })),
  }),
  route({
    method: 'POST',
    path: `${ONE}/restore`,
    summary: 'Bring an ended session back, also out of the archive',
    body: restoreBody,
    answer: restoreAnswer,
    handle: async ({ context, params }) => {
      const { id } = await context.manager.restore(params.id)
      context.board.touch(id)
      return { sessionId: id }
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/merge`,
    summary: 'Merge exactly this head of its pull request',
    body: mergeBody,
    answer: mergeAnswer,
    handle: async ({ context, params, body }) => {
      const { commit, boarded, projectId } = await context.manager.merge(params.id, body.sha)
      context.loop?.askForge(projectId)
      context.board.touch(params.id)
      return { commit, boarded }
    },
  }),
  route({
    method: 'GET',
    path: `${ONE}/ticket`,
    summary: 'A ticket to watch its terminal, good once and for seconds',
    answer: ticketAnswer,
    handle: async ({ context, params }) => issueTicket(context, params.id, 'read'),
  }),
  route({
    method: 'POST',
    path: `${ONE}/ticket`,
    summary: 'A ticket for its terminal, good once and for seconds',
    notIdempotent: true,
    body: ticketBody,
    answer: ticketAnswer,
    handle: async ({ context, params, body }) => issueTicket(context, params.id, body.mode),
  }),
]

async function issueTicket(context: DashboardContext, id: string, mode: Ticket['mode']): Promise<{ ticket: string }> {
  const { id: sessionId } = await requireSession(context, id)
  return { ticket: context.tickets.issue({ sessionId, mode }) }
}
