// GET and POST /answer/<signed>: the small page behind a link in a notification. Opening it shows the question and does
// nothing, because chat programs open links for their previews; only the button on it answers.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AoError } from '../../contract/errors.ts'
import { describeRequest } from '../../core/queue/describe-request.ts'
import { readOrMakeToken } from '../../http/access-token.ts'
import { ANSWER_PATH, type LinkedAnswer, readSigned } from '../../http/answer-link.ts'
import { admitConnection } from '../../http/limit-connections.ts'
import { runFiles } from '../../lifecycle/loop/run-state.ts'
import type { DashboardContext } from '../server/context.ts'
import { sendSmallPage } from '../server/small-page.ts'
import { requireRole } from './admit-request.ts'

export async function answerByLink(
  context: DashboardContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, url = '' } = request
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
    response.writeHead(405, { allow: 'GET, HEAD, POST' }).end()
    return
  }
  // What a form sends says nothing that the link does not.
  request.resume()
  const signed = url.slice(ANSWER_PATH.length).split('?')[0]!
  const answer = readSigned(readOrMakeToken(runFiles(context.paths).links), signed)
  if (answer === null)
    return sendSmallPage(response, 404, 'This link is not valid', ['It is incomplete, or of another ao.'])
  admitConnection(request)
  if (context.clock.now().getTime() > answer.until)
    return sendSmallPage(response, 410, 'This link has expired', ['Answer on the dashboard, or with: ao next'])
  if (method !== 'POST') return showQuestion(context, response, answer)
  await requireRole(context, request, { method, path: `${ANSWER_PATH}:link` })
  return giveAnswer(context, response, answer)
}

const VERBS = { 'allow-once': ['Allow once', 'Allowed once'], 'reject-once': ['Deny', 'Denied'] } as const

async function showQuestion(context: DashboardContext, response: ServerResponse, answer: LinkedAnswer): Promise<void> {
  const { sessionId, decision } = answer
  const request = await findRequest(context, answer)
  if (!request) return sendSmallPage(response, 410, 'Nothing to answer', [alreadySettled(sessionId)])
  const title = context.board.card(sessionId)?.title
  const lines = [`${sessionId}${title ? ` (${title})` : ''} asks:`, ...describeRequest(request)]
  sendSmallPage(response, 200, VERBS[decision][0], lines, VERBS[decision][0])
}

async function findRequest(context: DashboardContext, { sessionId, requestId, askedAt }: LinkedAnswer) {
  try {
    const pending = await context.manager.pendingPermissions(sessionId)
    return pending.find((one) => one.requestId === requestId && one.askedAt === askedAt)
  } catch (error) {
    if (error instanceof AoError && error.httpStatus < 500) return undefined
    throw error
  }
}

/** Whoever answers second finds the question gone. */
async function giveAnswer(context: DashboardContext, response: ServerResponse, answer: LinkedAnswer): Promise<void> {
  const { sessionId, requestId, askedAt, decision } = answer
  if (!(await findRequest(context, answer)))
    return sendSmallPage(response, 409, 'Nothing was done', [alreadySettled(sessionId)])
  try {
    await context.manager.answerPermission(sessionId, {
      requestId,
      askedAt,
      decision,
      by: 'a link in a notification',
    })
  } catch (error) {
    if (!(error instanceof AoError) || error.httpStatus >= 500) throw error
    return sendSmallPage(response, 409, 'Nothing was done', [error.message, alreadySettled(sessionId)])
  }
  context.board.touch(sessionId)
  sendSmallPage(response, 200, VERBS[decision][1], [`${sessionId} continues. You can close this page.`])
}

function alreadySettled(sessionId: string): string {
  return `${sessionId} no longer waits for this answer: somebody answered, or its time ran out.`
}
