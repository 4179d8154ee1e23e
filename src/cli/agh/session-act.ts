// Commands that act on a session: stop, cancel, approve, wake, repair.

import { trimmedText } from '../../contract/agh/read-update.ts'
import { DECISIONS, type Decision } from '../../contract/agh/session-terms.ts'
import { ACT } from '../../core/boundary/rights.ts'
import { describeRequest } from '../../core/queue/describe-request.ts'
import { aghCommand, oneOf, SESSION_ARGUMENT } from './agh-command.ts'
import { sessionLines } from './lines.ts'

export const sessionStopCommand = aghCommand({
  name: 'session stop',
  inside: ACT,
  about: 'Stop a session; its history stays',
  args: { session: SESSION_ARGUMENT },
  options: {
    detail: { value: 'text', about: 'Why; max_iterations, loop_detected and budget_exceeded become the stop reason' },
  },
  async run({ args, options, io, agh, show }) {
    const ask = { params: { id: args.session }, body: { detail: options.detail } }
    const answer = await agh.call('POST /api/sessions/:id/stop', ask)
    show(answer, () => sessionLines(io, answer.session))
  },
})

export const sessionCancelCommand = aghCommand({
  name: 'session cancel',
  inside: ACT,
  about: 'Ask the agent to end the running turn; the session stays',
  args: { session: SESSION_ARGUMENT },
  async run({ args, io, agh, show }) {
    const answer = await agh.call('POST /api/sessions/:id/prompt/cancel', { params: { id: args.session } })
    show(answer, () => sessionLines(io, answer.session))
  },
})

export const sessionApproveCommand = aghCommand({
  name: 'session approve',
  about: 'Answer a permission request of the agent',
  args: { session: SESSION_ARGUMENT },
  options: {
    'request-id': { value: 'id', about: 'Id of the request (default: the only one)' },
    decision: { short: 'd', value: 'word', about: DECISIONS.join(', '), completes: DECISIONS },
  },
  async run({ args, options, agh, show }) {
    const decision: Decision = oneOf('--decision', options.decision, DECISIONS) ?? 'allow-once'
    const params = { id: args.session }
    const { session } = await agh.call('GET /api/sessions/:id', { params })
    const [pending, ...more] = session.pending_permissions
    // Only the request that was there when it was read: another one may come meanwhile.
    const request_id = options['request-id'] ?? (more.length === 0 ? pending?.request_id : undefined)
    const answer = await agh.call('POST /api/sessions/:id/approve', { params, body: { decision, request_id } })
    const answered = session.pending_permissions.find((one) => one.request_id === answer.request_id)
    const lines = answered
      ? describeRequest({ ...answered, isCut: answered.input_cut, diffsOmitted: answered.diffs_omitted })
      : []
    show(answer, () => [`${answer.request_id}: ${answer.decision}`, ...lines.map((line) => `  ${line}`)])
  },
})

export const sessionWakeCommand = aghCommand({
  name: 'session wake',
  inside: ACT,
  about: "Wake an idle session with its agent's HEARTBEAT.md, if it is eligible",
  details: 'The exit code is 0 when it was woken (or would be), else 5.',
  args: { session: SESSION_ARGUMENT },
  options: { 'dry-run': { about: 'Only say what would be done' } },
  async run({ args, options, agh, show }) {
    const ask = { params: { id: args.session }, query: { dry_run: options['dry-run'] } }
    const answer = await agh.call('POST /api/sessions/:id/wake', ask)
    const { result, reason } = answer.wake
    show(answer, () => [result === 'sent' ? (options['dry-run'] ? 'would be woken' : 'woken') : `${result}  ${reason}`])
    return result === 'sent' ? 0 : 5
  },
})

export const sessionRepairCommand = aghCommand({
  name: 'session repair',
  about: 'End what a crash left open in the history',
  details: 'The exit code is 5 when it cannot be repaired, as while it is running.',
  args: { session: SESSION_ARGUMENT },
  options: { 'dry-run': { about: 'Only say what would be done' } },
  async run({ args, options, agh, show }) {
    const ask = { params: { id: args.session }, query: { dry_run: options['dry-run'] } }
    const answer = await agh.call('POST /api/sessions/:id/repair', ask)
    const { issues, actions, persisted } = answer.repair
    show(answer, () => [
      ...issues.map(({ severity, code, detail }) => `${severity}  ${code}: ${detail}`),
      ...actions.map(({ code, turn_id, tool_call_id }) =>
        `${persisted ? 'did' : 'would'}  ${code} ${turn_id} ${tool_call_id ?? ''}`.trimEnd(),
      ),
    ])
    return issues.some(({ severity }) => severity === 'error') ? 5 : 0
  },
})

export const sessionTrimCommand = aghCommand({
  name: 'session trim',
  about: 'Drop all but the end of the event log of a stopped session, to free the disk',
  details:
    'About its last 64 KB stay, from the beginning of a turn on, and the first event says what went; it cannot be brought back. Files that were attached to messages go with them. Tokens and hook runs stay. What the agent itself keeps of the conversation is not touched: a resume continues it, and only a recap is shorter.',
  args: { session: SESSION_ARGUMENT },
  async run({ args, agh, show }) {
    const answer = await agh.call('POST /api/sessions/:id/trim', { params: { id: args.session } })
    const { dropped_events, dropped_bytes } = answer.trim
    show(answer, () => [
      dropped_events === 0 ? 'Nothing to drop.' : `${trimmedText(answer.trim)}: ${dropped_bytes} bytes`,
    ])
  },
})
