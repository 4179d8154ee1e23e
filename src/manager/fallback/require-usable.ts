// Everything that can be refused about an account before the agent that runs is ended for it.
import { existsSync } from 'node:fs'
import type { AgentAccount } from '../../contract/account.ts'
import type { Session } from '../../contract/session.ts'
import type { FoundSession, ManagerContext } from '../context.ts'
import { requireAgentFileConsent, requireLaunchConsent } from '../launch/consent.ts'
import { agentLaunch, launchCommand, launchParts, requireCommand } from '../launch/plan.ts'

export async function requireUsable(
  context: ManagerContext,
  { project, stored: { record } }: FoundSession,
  session: Session,
  { agent, account }: AgentAccount,
): Promise<void> {
  const role = record.role ?? 'worker'
  const chosen = account === null ? { agent } : { account }
  const parts = await launchParts(context, project, role, { ...chosen, runtime: record.runtime })
  requireLaunchConsent(context, project)
  const workspacePath = session.workspacePath ?? project.path
  if (!existsSync(workspacePath)) return
  await requireAgentFileConsent(context, project, parts, workspacePath)
  const launch = agentLaunch(context, {
    project,
    sessionId: session.id,
    role,
    workspacePath,
    parts,
    prompt: null,
    issueId: session.issueId,
  })
  const command = launchCommand(parts, launch)
  if (!parts.runtime.elsewhere) requireCommand(context, parts.agent, command, workspacePath)
}
