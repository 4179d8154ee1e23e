// The queue of what waits for a person, and what they decide about it.
import { doneAnswer, renameAnswer, restoreAnswer, sendAnswer } from '../../contract/dashboard/answers.ts'
import { queueAnswer } from '../../contract/dashboard/cards.ts'
import { budgetBody, emptyBody, renameBody, snoozeBody } from '../../contract/dashboard/requests.ts'
import { describeQueue } from '../../core/queue/describe-queue.ts'
import { raiseBudget } from '../../manager/attend/raise-budget.ts'
import { route } from '../server/dashboard-route.ts'
import { done, touching } from './touching.ts'

const ONE = '/api/sessions/:id'
const MINUTE_MS = 60_000

export const QUEUE_ROUTES = [
  route({
    method: 'GET',
    path: '/api/queue',
    summary: 'What waits for a person, in the order in which it should be dealt with',
    answer: queueAnswer,
    handle: async ({ context }) => {
      await context.board.fresh()
      return { items: describeQueue(context.board.read().sessions, context.clock.now().getTime()) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/projects/:project/orchestrator',
    summary: 'Start the orchestrator of a project, bring it back, or find the running one',
    body: emptyBody,
    answer: restoreAnswer,
    handle: async ({ context, params }) => {
      const { id } = await context.manager.spawnOrchestrator({ projectId: params.project })
      context.board.touch(id)
      return { sessionId: id }
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/done`,
    summary: 'Its work is done: end the agent and keep its workspace',
    body: emptyBody,
    answer: doneAnswer,
    handle: async ({ context, params }) => done(context, params.id, () => context.manager.finish(params.id)),
  }),
  route({
    method: 'POST',
    path: `${ONE}/stop-turn`,
    summary: 'End the turn that is running; the agent stays with its conversation',
    body: emptyBody,
    answer: doneAnswer,
    handle: async ({ context, params }) => done(context, params.id, () => context.manager.stopTurn(params.id)),
  }),
  route({
    method: 'POST',
    path: `${ONE}/snooze`,
    summary: 'Put off what it needs now; without minutes it counts again',
    body: snoozeBody,
    answer: doneAnswer,
    handle: async ({ context, params, body: { need, minutes } }) => {
      const until = new Date(context.clock.now().getTime() + (minutes ?? 0) * MINUTE_MS)
      return done(context, params.id, () =>
        context.manager.snooze(params.id, minutes === null ? null : { until, need }),
      )
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/hand-in`,
    summary: 'Ask the agent to hand in its work: to open a pull request, where there is a forge',
    body: emptyBody,
    answer: sendAnswer,
    handle: async ({ context, params }) => ({
      receipt: await touching(context, params.id, () => context.manager.handIn(params.id)),
    }),
  }),
  route({
    method: 'POST',
    path: `${ONE}/budget`,
    summary: 'Raise what it may cost, and let it continue: it is restored if it was ended, and asked to carry on',
    body: budgetBody,
    answer: sendAnswer,
    handle: async ({ context, params, body }) => ({
      receipt: await touching(context, params.id, () => raiseBudget(context.manager, params.id, body.usd)),
    }),
  }),
  route({
    method: 'POST',
    path: `${ONE}/rename`,
    summary: 'Give it a name that stays; null: it is called after its task again',
    body: renameBody,
    answer: renameAnswer,
    handle: async ({ context, params, body }) => ({
      title: await touching(context, params.id, () => context.manager.rename(params.id, body.title)),
    }),
  }),
]
