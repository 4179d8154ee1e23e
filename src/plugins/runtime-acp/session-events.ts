// The sessions' events for ao: what they are doing, the conversation, people's answers.
import { dirname } from 'node:path'
import { followDaemon } from '../../agh/client.ts'
import { newsFile } from '../../agh/store/meta-file.ts'
import type { WaitingMessage } from '../../contract/dashboard/messages.ts'
import { AoError } from '../../contract/errors.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { neutralisePaste } from '../../core/text/paste-text.ts'
import type { SessionEvents, SessionReading } from '../../slots/session-events.ts'
import { readHandle, requireHandle, requireOwnSession } from './acp-handle.ts'
import { type DaemonLink, isNotRunning } from './daemon-link.ts'
import { observeSessions } from './observe-sessions.ts'
import { readAcpSession } from './read-session.ts'
import { readEventsAfter, readTranscript } from './read-transcript.ts'

export function createSessionEvents(link: DaemonLink): SessionEvents {
  return {
    async read(handles, at) {
      const targets = handles.flatMap((handle) => readHandle(handle) ?? [])
      const observed = await observeSessions(link, targets)
      const readings = new Map<string, SessionReading>()
      for (const { name } of targets) {
        const reading = readAcpSession(observed.get(name)!, at)
        if (reading) readings.set(name, reading)
      }
      return readings
    },
    hasSeen: (handle, messageId) => hasSeen(link, handle, messageId),
    async answerPermission(handle, { requestId, decision, optionId }) {
      const session = requireOwnSession(handle, link.paths)
      const answer = await link.call('POST /api/sessions/:id/approve', {
        params: { id: session },
        body: { request_id: requestId, ...(optionId === undefined ? { decision } : { option_id: optionId }) },
      })
      return { requestId: answer.request_id, decision: answer.decision ?? optionId ?? '' }
    },
    async cancelTurn(handle) {
      await link.call('POST /api/sessions/:id/prompt/cancel', { params: { id: requireOwnSession(handle, link.paths) } })
    },
    waitingMessages: (handle) => waitingMessages(link, handle),
    async changeWaiting(handle, messageId, text) {
      const params = { id: requireOwnSession(handle, link.paths), prompt: messageId }
      if (text === null) await link.call('DELETE /api/sessions/:id/queue/:prompt', { params })
      else
        await link.call('PATCH /api/sessions/:id/queue/:prompt', { params, body: { message: neutralisePaste(text) } })
    },
    async retryTurn(handle, turnId) {
      const answer = await link.call('POST /api/sessions/:id/prompt/retry', {
        params: { id: requireOwnSession(handle, link.paths) },
        body: { turn_id: turnId },
      })
      return { turnId: answer.turn_id, retries: answer.retries }
    },
    standingRules: (handle) => standingRules(link, handle),
    async revokeRule(handle, id) {
      const params = { id: requireOwnSession(handle, link.paths), rule: id }
      await link.call('DELETE /api/sessions/:id/rules/:rule', { params })
    },
    readTranscript: (handle) => readTranscript(link, requireOwnSession(handle, link.paths)),
    readEvents: (handle, after) => readEventsAfter(link, requireOwnSession(handle, link.paths), after),
    follow: (handle, after, signal) =>
      followDaemon(link.paths.socket, 'GET /api/sessions/:id/stream', {
        params: { id: requireOwnSession(handle, link.paths) },
        query: { after },
        signal,
      }),
    watchPaths(handle) {
      const target = readHandle(handle)
      return target ? [dirname(newsFile(link.paths, target.session))] : []
    },
  }
}

/** None while no daemon is running: what waits then is on disk, and the next daemon has it. */
async function waitingMessages(link: DaemonLink, handle: RuntimeHandle): Promise<WaitingMessage[]> {
  try {
    const params = { id: requireOwnSession(handle, link.paths) }
    const { queue } = await link.call('GET /api/sessions/:id/queue', { params })
    return queue.map(({ id, text, source, queued_at, changeable }) => ({
      messageId: id,
      text,
      source,
      since: queued_at,
      state: 'behind_turn' as const,
      why: null,
      changeable,
    }))
  } catch (error) {
    if (isNotRunning(error)) return []
    if (error instanceof AoError && error.code === 'SESSION_NOT_FOUND') return []
    throw error
  }
}

async function standingRules(link: DaemonLink, handle: RuntimeHandle): Promise<Array<{ id: string; rule: string }>> {
  try {
    const params = { id: requireOwnSession(handle, link.paths) }
    return (await link.call('GET /api/sessions/:id/rules', { params })).rules
  } catch (error) {
    if (isNotRunning(error)) return []
    if (error instanceof AoError && error.code === 'SESSION_NOT_FOUND') return []
    throw error
  }
}

async function hasSeen(link: DaemonLink, handle: RuntimeHandle, messageId: string): Promise<boolean | null> {
  const { session } = requireHandle(handle, link.paths.home)
  try {
    const params = { id: session, message: messageId }
    const { state } = await link.call('GET /api/driver/sessions/:id/messages/:message', { params })
    return state === 'unknown' ? null : state === 'handed_over'
  } catch (error) {
    if (isNotRunning(error)) return null
    if (error instanceof AoError && error.code === 'SESSION_NOT_FOUND') return false
    throw error
  }
}
