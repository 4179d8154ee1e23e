// What waits for an agent and can still be changed, the retry of a turn that failed, going back to one, and what was allowed for good.
import {
  doneAnswer,
  restoreAnswer,
  retryAnswer,
  rewindAnswer,
  waitingAnswer,
} from '../../contract/dashboard/answers.ts'
import { editMessageBody, emptyBody, retryBody, rewindBody, turnBody } from '../../contract/dashboard/requests.ts'
import { rulesAnswer } from '../../contract/dashboard/rules.ts'
import { route } from '../server/dashboard-route.ts'
import { done, touching } from './touching.ts'

const ONE = '/api/sessions/:id'
const MESSAGE = `${ONE}/messages/:message` as const

export const MESSAGE_ROUTES = [
  route({
    method: 'GET',
    path: `${ONE}/messages`,
    summary: 'The messages that have not reached the agent yet, in the order of their delivery',
    answer: waitingAnswer,
    handle: async ({ context, params }) => ({ waiting: await context.manager.waitingMessages(params.id) }),
  }),
  route({
    method: 'POST',
    path: `${MESSAGE}/edit`,
    summary: 'Give a waiting message another text',
    body: editMessageBody,
    answer: doneAnswer,
    handle: async ({ context, params, body }) =>
      done(context, params.id, () => context.manager.changeWaiting(params.id, params.message, body.message)),
  }),
  route({
    method: 'POST',
    path: `${MESSAGE}/withdraw`,
    summary: 'Withdraw a waiting message: the agent never gets it',
    body: emptyBody,
    answer: doneAnswer,
    handle: async ({ context, params }) =>
      done(context, params.id, () => context.manager.changeWaiting(params.id, params.message, null)),
  }),
  route({
    method: 'POST',
    path: `${ONE}/retry`,
    summary: 'Send the prompt of its failed turn again, word for word; an agent in a terminal is asked to try again',
    body: retryBody,
    answer: retryAnswer,
    handle: async ({ context, params, body }) =>
      touching(context, params.id, () => context.manager.retryTurn(params.id, { turnId: body.turnId })),
  }),
  route({
    method: 'POST',
    path: `${ONE}/rewind`,
    summary:
      'Take its files, and its conversation where its agent can, back to before a turn; what is there now is saved first, as a turn of its own',
    body: rewindBody,
    answer: rewindAnswer,
    handle: async ({ context, params, body }) =>
      touching(context, params.id, () =>
        context.manager.rewind(params.id, { to: body.turn, filesOnly: body.filesOnly ?? false }),
      ),
  }),
  route({
    method: 'POST',
    path: `${ONE}/fork`,
    summary:
      'Start a second session with its files as they were before a turn, and its conversation where its agent can',
    body: turnBody,
    answer: restoreAnswer,
    handle: async ({ context, params, body }) => {
      const { id } = await context.manager.fork(params.id, { at: String(body.turn) })
      context.board.touch(id)
      return { sessionId: id }
    },
  }),
  route({
    method: 'GET',
    path: `${ONE}/rules`,
    summary: 'Standing permissions of its agent ("always allow"), and how to revoke each',
    answer: rulesAnswer,
    handle: async ({ context, params }) => context.manager.standingRules(params.id),
  }),
  route({
    method: 'POST',
    path: `${ONE}/rules/:rule/revoke`,
    summary: 'Revoke a standing rule that is kept on the side of ao',
    body: emptyBody,
    answer: doneAnswer,
    handle: async ({ context, params }) =>
      done(context, params.id, () => context.manager.revokeRule(params.id, params.rule)),
  }),
]
