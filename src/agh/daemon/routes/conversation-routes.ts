// Routes about the conversations that agents keep by themselves, for agents that advertise the methods of ACP.
import { conversationsAnswer, oneSession } from '../../../contract/agh/answers.ts'
import { forkSchema, resumeSchema } from '../../../contract/agh/api.ts'
import { close, deleteOne, fork, listOfAgent } from '../../runtime.ts'
import { overSocket, route } from './agh-route.ts'

export const CONVERSATION_ROUTES = [
  route({
    method: 'POST',
    path: '/api/sessions/:id/fork',
    summary: 'Start a session whose conversation begins as a copy of this one (`session/fork` of ACP)',
    body: forkSchema,
    status: 201,
    answer: oneSession,
    handle: async ({ context, params, body, request }) => ({
      session: await fork(context, params.id, { ...body, environment: overSocket(request, body.environment) }),
    }),
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/close',
    summary: 'Have the agent close the conversation, then stop the session; its history stays (`session/close` of ACP)',
    answer: oneSession,
    handle: async ({ context, params }) => ({ session: await close(context, params.id) }),
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:id/conversations',
    summary: 'The conversations that the agent of a running session keeps (`session/list` of ACP)',
    query: { all: '`true`: of all directories, not only that of the session' },
    answer: conversationsAnswer,
    handle: async ({ context, params, query }) => listOfAgent(context, params.id, query.get('all') === 'true'),
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:id/conversation/delete',
    summary:
      'Have the agent delete the conversation of a stopped session; the history here stays (`session/delete` of ACP)',
    body: resumeSchema,
    answer: oneSession,
    handle: async ({ context, params, body, request }) => ({
      session: await deleteOne(context, params.id, overSocket(request, body.environment)),
    }),
  }),
] as const
