// Push messages for the browser that asks: each route concerns that browser alone.
import { createHash } from 'node:crypto'
import { doneAnswer } from '../../contract/dashboard/answers.ts'
import { endpointBody, pushAnswer, pushBody } from '../../contract/dashboard/devices.ts'
import { notifierTestAnswer } from '../../contract/dashboard/pages.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { endpointProblem } from '../../core/access/check-endpoint.ts'
import { pushPayload } from '../../lifecycle/push/push-notifiers.ts'
import type { PushOwner } from '../../lifecycle/push/push-store.ts'
import { readOrMakePushKeys, sendPush } from '../../lifecycle/push/send-push.ts'
import type { Caller } from '../access/admit-request.ts'
import { route } from '../server/dashboard-route.ts'

export const PUSH_ROUTES = [
  route({
    method: 'GET',
    path: '/api/push',
    summary: 'The key that a browser subscribes to push messages with',
    answer: pushAnswer,
    handle: async ({ context }) => ({ publicKey: (await readOrMakePushKeys(context.access.pushKeys)).publicKey }),
  }),
  route({
    method: 'POST',
    path: '/api/push',
    summary: 'Send push messages to this browser from now on, until it signs out',
    body: pushBody,
    answer: doneAnswer,
    handle: async ({ context, caller, body }) => {
      const problem = endpointProblem(body.endpoint)
      if (problem !== null) throw new AoError('USAGE', `The address for push messages ${problem}`)
      context.access.push.add({ ...body, owner: requireOwner(caller) })
      return { ok: true as const }
    },
  }),
  route({
    method: 'POST',
    path: '/api/push/remove',
    summary: 'Send no more push messages to this browser',
    body: endpointBody,
    answer: doneAnswer,
    handle: async ({ context, caller, body }) => {
      context.access.push.remove(body.endpoint, requireOwner(caller))
      return { ok: true as const }
    },
  }),
  route({
    method: 'POST',
    path: '/api/push/test',
    summary: 'Send one push message to this browser',
    notIdempotent: true,
    body: endpointBody,
    answer: notifierTestAnswer,
    handle: async ({ context: { access }, caller, body: { endpoint } }) => {
      const { key } = requireOwner(caller)
      const subscriber = [...access.push.list().values()].find(
        (one) => one.endpoint === endpoint && one.owner.key === key,
      )
      if (!subscriber) throw new AoError('STATE_REFUSED', 'This browser gets no push messages')
      const payload = pushPayload(
        { type: 'test', message: 'This is how ao notifies you.' },
        { base: '', sound: subscriber.sound },
      )
      try {
        await sendPush({ subscriber, keys: await readOrMakePushKeys(access.pushKeys), payload, isUrgent: true })
        return { ok: true, message: 'The push service has it' }
      } catch (error) {
        // The answer to the request, not a failure of the request itself.
        return { ok: false, message: errorText(error) }
      }
    },
  }),
]

/** A program with the token of the file has no sign-in that could end. */
function requireOwner(caller: Caller): PushOwner {
  if (caller.kind === 'token')
    throw new AoError('USAGE', 'Push messages are for browsers and devices that are signed in')
  const secret = caller.kind === 'device' ? caller.token : caller.secret
  return { kind: caller.kind, key: createHash('sha256').update(secret).digest('hex') }
}
