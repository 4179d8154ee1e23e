// `ao session wait`: for scripts that have to know when a session has reached a state.

import { AoError } from '../../../contract/errors.ts'
import { recordOf } from '../../../contract/record.ts'
import type { Session } from '../../../contract/session.ts'
import { isTerminalSession, SESSION_STATUSES, type SessionStatus } from '../../../contract/status.ts'
import { ORCHESTRATOR } from '../../../core/boundary/rights.ts'
import { readTime } from '../../../core/text/read-time.ts'
import { requireAnySession } from '../../../manager/observe/require-session.ts'
import { readOperation } from '../../../manager/operation.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { needsPerson } from '../../print/attention.ts'
import { toSessionJson } from '../../print/session-json.ts'
import { openAo } from '../open-ao.ts'
import { watchRecords } from '../report/watch-status.ts'

export const sessionWaitCommand = defineCommand({
  name: 'session wait',
  inside: ORCHESTRATOR,
  about: 'Wait until a session needs you, is ready to merge, or has ended',
  details:
    'With --for, until it has one of these statuses; the exit code is 1 when it ended with another one, 3 when time runs out.',
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: {
    for: {
      short: 'f',
      value: 'status',
      about: 'A status to wait for; may be repeated',
      repeatable: true,
      completes: SESSION_STATUSES,
    },
    timeout: { short: 't', value: 'time', about: 'Give up after this time, such as 30s or 10m' },
    json: JSON_OPTION,
  },
  examples: [{ line: 'ao session wait app-1 --for mergeable --timeout 30m', about: 'Until it can be merged' }],
  json: '{ session: Session }',
  async run({ args, options }, io) {
    const wanted = options.for.map(readStatus)
    const limits = options.timeout === undefined ? [] : [AbortSignal.timeout(readTime('--timeout', options.timeout))]
    const ao = await openAo(io)
    const changes = watchRecords({ ao, projectId: undefined }, io)
    const expired = AbortSignal.any([io.stopped, ...limits])
    try {
      for (;;) {
        const { session, archivedAt } = await requireAnySession(ao.context, args.session)
        // While a command ends it, it has not ended yet, and how it did is not written down.
        const isBeingEnded = session.status === 'cleanup' || readOperation(recordOf(session))?.ownerAlive === true
        const isOver = archivedAt !== null || (isTerminalSession(session) && !isBeingEnded)
        if (isReached(session, wanted) || isOver) {
          if (options.json) io.json({ session: toSessionJson(session) })
          else io.print(`${session.id} is ${session.status}`)
          return wanted.length > 0 && !wanted.includes(session.status) ? 1 : 0
        }
        if (expired.aborted) {
          throw new AoError('TIMEOUT', `Session ${session.id} is still ${session.status} after ${options.timeout}`, {
            hint: `See why with: ao why ${session.id}; a pull request is followed only while ao start runs`,
          })
        }
        await changes.next(expired)
      }
    } finally {
      changes.close()
    }
  },
})

function isReached(session: Session, wanted: readonly SessionStatus[]): boolean {
  if (wanted.length > 0) return wanted.includes(session.status)
  return needsPerson(session) || session.status === 'mergeable' || session.status === 'approved'
}

function readStatus(text: string): SessionStatus {
  const status = SESSION_STATUSES.find((one) => one === text)
  if (status) return status
  throw new AoError('USAGE', `There is no status ${text}`, { hint: `Statuses: ${SESSION_STATUSES.join(', ')}` })
}
