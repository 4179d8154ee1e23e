// The first message of an agent whose own resume leaves it out: queued in the update that records the restore, so that no
// crash loses it, and delivered once the agent takes messages.
import type { OtherEvent } from '../../contract/events.ts'
import type { RecordChange, SessionRecord } from '../../contract/record.ts'
import { messageIdsOf } from '../../core/message/unfinished-messages.ts'
import { firstMessageAgain } from '../../core/prompt/first-message-again.ts'
import type { ManagerContext } from '../context.ts'
import { type LaunchRun, launchIn } from './launch-run.ts'

interface MessageAgain {
  change: (record: SessionRecord) => RecordChange
  events: OtherEvent[]
}

/** null: it has its first message, or there was none. */
export function messageAgain(context: ManagerContext, run: LaunchRun): MessageAgain | null {
  const { parts, plan } = run
  if (!run.resume || run.promptDelivered === 'no' || parts.runtime.drivesAcpAgents) return null
  const message = parts.agent.messageLostByResume?.(launchIn(context, run, plan.prompt)) ?? null
  if (message === null) return null
  const messageId = `again-${plan.spawnId}`
  return {
    // Before what waits already: that is about the same work.
    change: (record) => ({ messagesOnTheWay: [messageId, ...messageIdsOf(record).filter((id) => id !== messageId)] }),
    events: [
      { type: 'message.queued', messageId, text: firstMessageAgain(message), source: 'restore' },
      { type: 'message.held', messageId, why: 'the agent is starting' },
    ],
  }
}
