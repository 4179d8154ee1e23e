// One event of a session's history as a line for people.
import type { SessionEvent } from '../../contract/events.ts'
import type { LeftProcess } from '../../contract/session.ts'
import { accountName } from '../budget/choose-fallback.ts'
import { describeLeftProcesses } from './describe-left-processes.ts'

const RESTORED = {
  resume: 'restored, conversation resumed',
  fork: "started with a copy of another session's conversation",
  fresh: 'restored, started afresh',
  rewind: 'restored, with a copy of its conversation until then',
}

export function describeEvent(event: SessionEvent): string {
  switch (event.type) {
    case 'session.reserved':
      return `reserved for ${event.agent}${event.issue ? ` on ${event.issue}` : ''}`
    case 'operation.started':
      return `${event.operation} started`
    case 'operation.finished':
      return `${event.operation} finished`
    case 'operation.failed':
      return `${event.operation} failed at ${event.step}: ${event.error}`
    case 'operation.recovered':
      return `an interrupted ${event.operation} was ${event.outcome === 'finished' ? 'finished' : 'rolled back'}`
    case 'workspace.created':
      return `workspace on ${event.branch}`
    case 'workspace.rescued':
      return `uncommitted work saved as ${event.ref}`
    case 'hook.failed':
      return `${event.hook} failed: ${event.error}`
    case 'workspace.removed':
      return 'workspace removed'
    case 'runtime.started':
      return `started (launch ${event.launch}) in ${event.handle.runtimeName}: ${event.command.join(' ')}`
    case 'runtime.stopped':
      return `stopped: ${event.why}${leftRunning(event.leftRunning)}`
    case 'status.changed':
      return `${event.from ?? 'new'} -> ${event.to}${event.evidence.length > 0 ? ` (${event.evidence.join('; ')})` : ''}`
    case 'message.queued':
      return `message from ${event.source}${event.by === undefined ? '' : ` (${event.by})`}: ${event.text}`
    case 'message.held':
      return `message held: ${event.why}`
    case 'message.edited':
      return `message edited: ${event.text}`
    case 'message.withdrawn':
      return `message withdrawn: ${event.why}`
    case 'message.handed_over':
      return `message handed over${event.note === undefined ? '' : ` (${event.note})`}`
    case 'message.seen':
      return 'message seen'
    case 'turn.saved':
      return `files saved as turn ${event.turn}${event.left === undefined ? '' : `, without ${event.left} of them`}`
    case 'turn.not_saved':
      return `files were not saved as turn ${event.turn}: ${event.why}`
    case 'session.rewound':
      return `${event.conversation === 'back' ? 'files and conversation' : 'files'} taken back to turn ${event.turn} by ${event.by}${event.notice === undefined ? '' : `: ${event.notice}`}`
    case 'message.undelivered':
      return `message not delivered: ${event.why}`
    case 'permission.answered':
      return `${event.title ?? event.requestId}: answered with ${event.option ?? event.decision}${event.by === undefined ? '' : ` by ${event.by}`}`
    case 'permission.revoked':
      return `revoked: ${event.rule}`
    case 'session.restored':
      return RESTORED[event.how]
    case 'account.changed':
      return `continued with ${accountName(event.to)} instead of ${accountName(event.from)}: ${event.why}`
    case 'session.archived':
      return 'archived'
    case 'session.imported':
      return `imported; it was ${event.from}, exported at ${event.exportedAt}`
    case 'data.dropped':
      return `its ${event.what} was dropped to keep the disk within its limits: ${event.detail}`
    case 'turn.stopped':
      return `turn stopped by ${event.by}`
    case 'turn.retried':
      return 'failed turn retried'
    case 'session.snoozed':
      return `put off until ${event.until}: ${event.need}`
    case 'session.renamed':
      return event.title === null ? 'renamed after its task' : `renamed: ${event.title}`
    case 'budget.changed':
      return event.usd === null ? 'budget as in the configuration' : `budget: $${event.usd.toFixed(2)}`
    case 'session.claimed_pr':
      return `took over ${event.url}${event.from.length > 0 ? ` from ${event.from.join(', ')}` : ''}`
    case 'reaction':
      return `${event.key} (${event.why}) -> ${event.action}${event.outcome === 'failed' ? ` failed: ${event.error ?? ''}` : ''}`
    case 'usage':
      return `used ${event.tokens} tokens${event.costUsd === null ? '' : `, $${event.costUsd.toFixed(2)}`}`
    case 'place.asked':
      return `${event.request}: ${event.decision}${event.why === undefined ? '' : `: ${event.why}`}`
    case 'metadata.damaged':
      return `the record was damaged (${event.why}); kept as ${event.setAside}`
    default:
      // From an older or a newer version; its name still says something.
      return (event as { type: string }).type
  }
}

function leftRunning(processes: LeftProcess[] | undefined): string {
  if (processes === undefined || processes.length === 0) return ''
  return `; left running, not proven to be the agent's: ${describeLeftProcesses(processes)}`
}
