// Routes of the prompts that wait behind a turn, of the one whose turn failed, and of what people have allowed for good.
import { queueAnswer, retryAnswer, rulesAnswer } from '../../../contract/agh/answers.ts'
import { editPromptSchema, retrySchema } from '../../../contract/agh/api.ts'
import { ACT, READ } from '../../../core/boundary/rights.ts'
import { changeQueued, readQueue, readRules, retryPrompt, revokeRule, withdrawQueued } from '../../runtime.ts'
import type { AghContext } from '../../session/context.ts'
import { route } from './agh-route.ts'

const ONE = '/api/sessions/:id/queue/:prompt'

export const QUEUE_ROUTES = [
  route({
    method: 'GET',
    path: '/api/sessions/:id/queue',
    inside: READ,
    summary: 'The prompts that wait behind the running turn, in order',
    answer: queueAnswer,
    handle: async ({ context, params }) => queueOf(context, params.id),
  }),
  route({
    method: 'PATCH',
    path: ONE,
    inside: ACT,
    summary: 'Give a waiting prompt another text',
    body: editPromptSchema,
    answer: queueAnswer,
    async handle({ context, params, body }) {
      await changeQueued(context, params.id, params.prompt, body.message)
      return queueOf(context, params.id)
    },
  }),
  route({
    method: 'DELETE',
    path: ONE,
    inside: ACT,
    summary: 'Withdraw a waiting prompt: the agent never gets it',
    answer: queueAnswer,
    async handle({ context, params }) {
      await withdrawQueued(context, params.id, params.prompt)
      return queueOf(context, params.id)
    },
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/prompt/retry',
    inside: ACT,
    summary: 'Send the prompt of the newest turn again, word for word, if that turn failed',
    body: retrySchema,
    answer: retryAnswer,
    handle: async ({ context, params, body }) => ({
      session_id: params.id,
      ...(await retryPrompt(context, params.id, body.turn_id)),
    }),
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id/rules',
    inside: READ,
    summary: 'What people have allowed for the whole session',
    answer: rulesAnswer,
    handle: async ({ context, params }) => ({ session_id: params.id, rules: readRules(context, params.id) }),
  }),
  route({
    method: 'DELETE',
    path: '/api/sessions/:id/rules/:rule',
    summary: 'Revoke it: agh asks again',
    answer: rulesAnswer,
    async handle({ context, params }) {
      await revokeRule(context, params.id, params.rule)
      return { session_id: params.id, rules: readRules(context, params.id) }
    },
  }),
] as const

function queueOf(context: AghContext, sessionId: string) {
  return { session_id: sessionId, queue: readQueue(context, sessionId) }
}
