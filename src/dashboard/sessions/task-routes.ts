// Routes of tasks that several sessions have: comparing them, a person's choice, and plans that a person accepts.
import { diffAnswer } from '../../contract/dashboard/answers.ts'
import {
  acceptBody,
  choiceAnswer,
  chooseBody,
  comparisonAnswer,
  type PlanAnswer,
  planAnswer,
  planBody,
  plansAnswer,
  stackAnswer,
} from '../../contract/dashboard/tasks.ts'
import { AoError } from '../../contract/errors.ts'
import { stackOf } from '../../core/task/find-stacks.ts'
import type { SplitTask } from '../../core/task/shared-task.ts'
import { storedSessions } from '../../manager/active.ts'
import { planDigest } from '../../store/tasks.ts'
import { route } from '../server/dashboard-route.ts'

const ONE = '/api/tasks/:id'
const PLAN = '/api/plans/:id'

export const TASK_ROUTES = [
  route({
    method: 'GET',
    path: '/api/stack',
    summary: 'What waits for what, since when, and what starts next: ao stack',
    answer: stackAnswer,
    handle: async ({ context }) => ({ nodes: stackOf(storedSessions(context)) }),
  }),
  route({
    method: 'GET',
    path: ONE,
    summary: 'The sessions of one task beside each other: checks, size, cost, time, and how far apart they are',
    answer: comparisonAnswer,
    handle: async ({ context, params }) => context.manager.compare(params.id),
  }),
  route({
    method: 'GET',
    path: `${ONE}/diff`,
    summary: 'From the committed work of one of its sessions to that of another',
    query: { from: 'Session id', to: 'Session id' },
    answer: diffAnswer,
    handle: async ({ context, params, query }) =>
      context.manager.diffPair(params.id, query.get('from') ?? '', query.get('to') ?? ''),
  }),
  route({
    method: 'POST',
    path: `${ONE}/choose`,
    summary: 'Choose one of several tries: the others end, their pull requests are closed, their work is kept',
    body: chooseBody,
    answer: choiceAnswer,
    handle: async ({ context, params, body: { session, ending } }) => {
      const { id, sessions, kind } = await context.manager.compare(session)
      const others = sessions.filter((one) => one.id !== session && !one.isArchived).map((one) => one.id)
      // What the person agreed to is what was shown to them.
      if (id !== params.id || kind !== 'best' || others.some((one) => !ending.includes(one)))
        throw new AoError('STATE_REFUSED', 'These are not the tries that were shown', { hint: 'Load the page again' })
      try {
        return await context.manager.choose(session)
      } finally {
        for (const one of sessions) context.board.touch(one.id)
      }
    },
  }),
  route({
    method: 'GET',
    path: '/api/plans',
    summary: 'Proposals of how to split work, newest first',
    answer: plansAnswer,
    handle: async ({ context }) => ({ plans: (await context.manager.proposals()).map(toPlan) }),
  }),
  route({
    method: 'GET',
    path: PLAN,
    summary: 'A proposal of how to split work, and what became of it',
    answer: planAnswer,
    handle: async ({ context, params }) => toPlan(await context.manager.proposal(params.id)),
  }),
  route({
    method: 'POST',
    path: `${PLAN}/edit`,
    summary: 'Replace the parts of a proposal that has not been accepted yet',
    body: planBody,
    answer: planAnswer,
    handle: async ({ context, params, body: { text } }) => toPlan(await context.manager.editProposal(params.id, text)),
  }),
  route({
    method: 'POST',
    path: `${PLAN}/accept`,
    summary: 'Accept a proposal as it was read: make its issues, and start or queue a session for each',
    body: acceptBody,
    answer: planAnswer,
    handle: async ({ context, params, body: { digest } }) => {
      const plan = toPlan(await context.manager.acceptProposal(params.id, digest))
      for (const { session } of plan.children) if (session !== undefined) context.board.touch(session)
      return plan
    },
  }),
  route({
    method: 'POST',
    path: `${PLAN}/discard`,
    summary: 'Discard a proposal',
    answer: planAnswer,
    handle: async ({ context, params }) => toPlan(await context.manager.discardProposal(params.id)),
  }),
]

function toPlan({ id, project, issueId, by, createdAt, state, children }: SplitTask): PlanAnswer {
  return { id, project, issueId, by, createdAt, state, digest: planDigest({ children }), children }
}
