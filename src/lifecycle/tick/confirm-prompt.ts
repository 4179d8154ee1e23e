// Whether an agent's own records show the prompt that it was started with: `promptDelivered` says so from then on.

import type { ProjectConfig } from '../../contract/config.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { readPrompt } from '../../manager/launch/launch.ts'
import { hasSeen } from '../../manager/observe/has-seen.ts'
import type { LoopContext } from '../loop/loop-context.ts'

/** An agent that has not noted its first prompt by then keeps no such notes. */
const WORTH_ASKING_MS = 15 * 60_000

export async function isPromptSeen(loop: LoopContext, project: ProjectConfig, session: Session): Promise<boolean> {
  const { promptDelivered, spawnId } = recordOf(session)
  if (promptDelivered !== 'unconfirmed') return false
  const since = session.restoredAt ?? session.createdAt
  if (loop.manager.clock.now().getTime() - since.getTime() > WORTH_ASKING_MS) return false
  const text = readPrompt(loop.manager.paths.project(project.id).stateDir(session.id))
  if (text === null) return false
  const messageId = `prompt-${spawnId ?? session.id}`
  return (await hasSeen(loop.manager, session, { messageId, text, since })) === true
}
