// Routes of the prompts that wait behind a turn, of the one whose turn failed, and of what people have allowed for good.
import { queueAnswer, retryAnswer, rulesAnswer } from '../../../contract/agh/answers.ts'
import { editPromptSchema, retrySchema } from '../../../contract/agh/api.ts'
import { changeQueued, readQueue, readRules, retryPrompt, revokeRule, withdrawQueued } from '../../runtime.ts'
import type { AghContext } from '../../session/context.ts'
import { route } from './agh-route.ts'

const ONE = '/api/sessions/:id/queue/:prompt'

export const QUEUE_ROUTES = [
  route({
    method: 'GET',
    path: '/api/sessions/:id/queue',
    summary: 'The prompts that wait behind the running turn, in order',
    answer: queueAnswer,
    handle: async ({ place, params }) => queueOf(place, params.id),
  }),
  route({
    method: 'PATCH',
    path: ONE,
    summary: 'Give a waiting prompt another text',
    body: editPromptSchema,
    answer: queueAnswer,
    async handle({ place, params, body }) {
      await changeQueued(place, params.id, params.prompt, body.message)
      return queueOf(place, params.id)
    },
  }),
  route({
    method: 'DELETE',
    path: ONE,
    summary: 'Withdraw a waiting prompt: the agent never gets it',
    answer: queueAnswer,
    async handle({ place, params }) {
      await withdrawQueued(place, params.id, params.prompt)
      return queueOf(place, params.id)
    },
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/prompt/retry',
    summary: 'Send the prompt of the newest turn again, word for word, if that turn failed',
    body: retrySchema,
    answer: retryAnswer,
    handle: async ({ place, params, body }) => ({
      session_id: params.id,
      ...(await retryPrompt(place, params.id, body.turn_id)),
    }),
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id/rules',
    summary: 'What people have allowed for the whole session',
    answer: rulesAnswer,
    handle: async ({ place, params }) => ({ session_id: params.id, rules: readRules(place, params.id) }),
  }),
  route({
    method: 'DELETE',
    path: '/api/sessions/:id/rules/:rule',
    summary: 'Revoke it: agh asks again',
    answer: rulesAnswer,
    async handle({ place, params }) {
      await revokeRule(place, params.id, params.rule)
      return { session_id: params.id, rules: readRules(place, params.id) }
    },
  }),
] as const

function queueOf(context: AghContext, sessionId: string) {
  return { session_id: sessionId, queue: readQueue(context, sessionId) }
}
