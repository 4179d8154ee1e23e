// What an agent says it has used in a session before it is started there again: it is counted already.
import { type Spent, spentOf } from '../../core/status/spent.ts'
import { storedSession } from '../../store/session/metadata-to-session.ts'
import type { ManagerContext } from '../context.ts'
import type { LaunchRun } from '../launch/launch-run.ts'
import { readOptions } from '../read-options.ts'

/** null: nothing, or it keeps its counts elsewhere. */
export async function countUsed(
  context: ManagerContext,
  { plan, parts, project, path }: LaunchRun,
): Promise<Spent | null> {
  if (parts.runtime.elsewhere || parts.runtime.drivesAcpAgents) return null
  const session = { ...storedSession({ id: plan.session, pairs: {} }, project.id), workspacePath: path }
  try {
    const agentInfo = await parts.agent.getSessionInfo(session, readOptions(context, session))
    return spentOf({ ...session, agentInfo })
  } catch (error) {
    context.log.debug(`could not read what ${parts.agent.name} has used before: ${String(error)}`)
    return null
  }
}
