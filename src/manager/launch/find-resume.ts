// How a restored session continues: by the agent's own resume, the runtime's, or afresh with the prompt.
import { recordOf, type SessionRecord } from '../../contract/record.ts'
import type { RuntimeHandle, Session } from '../../contract/session.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import { storedSession } from '../../store/session/metadata-to-session.ts'
import type { ManagerContext } from '../context.ts'
import { hasSeen } from '../observe/has-seen.ts'
import type { OnProgress } from '../types.ts'
import { requireAgentFileConsent } from './consent.ts'
import type { LaunchParts } from './launch.ts'
import { type LaunchRun, launchIn } from './launch-run.ts'
import { launchCommand } from './make-plan.ts'

export async function findLaunchCommand(context: ManagerContext, run: LaunchRun): Promise<void> {
  const { project, parts, path } = run
  // Before the agent is asked how it resumes: some run their own program for that, in this very directory.
  await requireAgentFileConsent(context, project, parts, path)
  if (run.restoring!.change) {
    // Conversations are kept by account. What it has to know was sent along as a message.
    run.onProgress(`${parts.agent.name} takes over in a new conversation`)
    return
  }
  const session = storedSession(run.restoring!.stored, project.id)
  run.resume = await findResume(parts, session, launchIn(context, run, null), run.onProgress)
  run.promptDelivered = await promptAfterStart(context, run, session)
  run.onProgress(
    run.resume
      ? `${parts.agent.name} resumes its own session`
      : `${parts.agent.name} starts afresh with the original prompt`,
  )
}

interface Resume {
  command: string[]
  /** The ended session that the runtime itself continues. */
  ended: RuntimeHandle | null
}

async function findResume(
  parts: LaunchParts,
  session: Session,
  launch: AgentLaunch,
  onProgress: OnProgress,
): Promise<Resume | null> {
  const { agent, runtime } = parts
  if (!runtime.drivesAcpAgents && !runtime.elsewhere) {
    const command = await agent.getRestoreCommand?.(session, launch, onProgress)
    return command ? { command, ended: null } : null
  }
  const { runtimeHandle } = session
  // From one place to another the conversation goes along.
  const isSameKind = runtimeHandle?.runtimeName === runtime.name || runtime.elsewhere !== undefined
  const canResume = runtimeHandle && isSameKind && (await runtime.canResume?.(runtimeHandle))
  return canResume ? { command: launchCommand(parts, launch), ended: runtimeHandle } : null
}

/** What is known about the prompt once the agent is running; `no`: it has to be sent, `resumed`: it was sent earlier. */
async function promptAfterStart(
  context: ManagerContext,
  { plan, parts, resume }: LaunchRun,
  session: Session,
): Promise<NonNullable<SessionRecord['promptDelivered']> | null> {
  if (plan.prompt === null) return null
  if (!resume) return parts.promptDelivery === 'inline' ? 'unconfirmed' : 'no'
  const { promptDelivered: before, spawnId } = recordOf(session)
  // An agent that was ended before it got its task has nothing to continue.
  if (before === 'yes' || (before === 'no' && parts.promptDelivery === 'post-launch')) return before
  const messageId = `prompt-${spawnId ?? session.id}`
  const seen = await hasSeen(context, session, { messageId, text: plan.prompt, since: session.createdAt })
  return seen === true ? 'yes' : 'resumed'
}
