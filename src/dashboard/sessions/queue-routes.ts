// The queue of what waits for a person, and what they decide about it.
import { doneAnswer, renameAnswer, restoreAnswer, sendAnswer } from '../../contract/dashboard/answers.ts'
import { queueAnswer } from '../../contract/dashboard/cards.ts'
import { budgetBody, emptyBody, renameBody, snoozeBody } from '../../contract/dashboard/requests.ts'
import { describeQueue } from '../../core/queue/describe-queue.ts'
import { raiseBudget } from '../../manager/attend/raise-budget.ts'
import type { DashboardContext } from '../server/context.ts'
import { route } from '../server/dashboard-route.ts'

const ONE = '/api/sessions/:id'
const MINUTE_MS = 60_000

export const QUEUE_ROUTES = [
  route({
    method: 'GET',
    path: '/api/queue',
    summary: 'What waits for a person, in the order in which it should be dealt with',
    answer: queueAnswer,
    handle: async ({ place }) => {
      await place.board.fresh()
      return { items: describeQueue(place.board.read().sessions, place.clock.now().getTime()) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/projects/:project/orchestrator',
    summary: 'Start the orchestrator of a project, bring it back, or find the running one',
    body: emptyBody,
    answer: restoreAnswer,
    handle: async ({ place, params }) => {
      const { id } = await place.manager.spawnOrchestrator({ projectId: params.project })
      place.board.touch(id)
      return { sessionId: id }
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/done`,
    summary: 'Its work is done: end the agent and keep its workspace',
    body: emptyBody,
    answer: doneAnswer,
    handle: async ({ place, params }) => touched(place, params.id, () => place.manager.finish(params.id)),
  }),
  route({
    method: 'POST',
    path: `${ONE}/stop-turn`,
    summary: 'End the turn that is running; the agent stays with its conversation',
    body: emptyBody,
    answer: doneAnswer,
    handle: async ({ place, params }) => touched(place, params.id, () => place.manager.stopTurn(params.id)),
  }),
  route({
    method: 'POST',
    path: `${ONE}/snooze`,
    summary: 'Put off what it needs now; without minutes it counts again',
    body: snoozeBody,
    answer: doneAnswer,
    handle: async ({ place, params, body: { need, minutes } }) => {
      const until = new Date(place.clock.now().getTime() + (minutes ?? 0) * MINUTE_MS)
      return touched(place, params.id, () => place.manager.snooze(params.id, minutes === null ? null : { until, need }))
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/hand-in`,
    summary: 'Ask the agent to hand in its work: to open a pull request, where there is a forge',
    body: emptyBody,
    answer: sendAnswer,
    handle: async ({ place, params }) => {
      try {
        return { receipt: await place.manager.handIn(params.id) }
      } finally {
        place.board.touch(params.id)
      }
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/budget`,
    summary: 'Raise what it may cost, and let it continue: it is restored if it was ended, and asked to carry on',
    body: budgetBody,
    answer: sendAnswer,
    handle: async ({ place, params, body }) => {
      try {
        return { receipt: await raiseBudget(place.manager, params.id, body.usd) }
      } finally {
        place.board.touch(params.id)
      }
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/rename`,
    summary: 'Give it a name that stays; null: it is called after its task again',
    body: renameBody,
    answer: renameAnswer,
    handle: async ({ place, params, body }) => {
      const title = await place.manager.rename(params.id, body.title)
      place.board.touch(params.id)
      return { title }
    },
  }),
]

async function touched(place: DashboardContext, sessionId: string, act: () => Promise<void>): Promise<{ ok: true }> {
  await act()
  place.board.touch(sessionId)
  return { ok: true }
}
