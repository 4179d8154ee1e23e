// The coordinator of a workspace: one session, started when there is work for it.

import { durationMs } from '../../../contract/agh/duration.ts'
import { AoError } from '../../../contract/errors.ts'
import { isActive } from '../../../core/agh/machine/session-state.ts'
import { planCoordinator } from '../../../core/agh/plan-task-run.ts'
import { nowMs } from '../../../lib/clock.ts'
import { agentIsDefined } from '../../setup/agents.ts'
import type { AghContext } from '../context.ts'
import { finishSession } from '../finish.ts'
import type { LiveSession } from '../live-session.ts'
import { createSession } from './create-session.ts'

/** Its id. */
export async function ensureCoordinator(context: AghContext, workspacePath: string): Promise<string> {
  const ttlMs = durationMs(context.config.autonomy.coordinator.default_ttl)
  const present = findCoordinator(context, workspacePath)
  const plan = planCoordinator({ present: present?.meta ?? null, ttlMs, now: nowMs(context) })
  if (plan === 'use') return present!.meta.id
  if (plan === 'replace') await finishSession(context, present!, { kind: 'user', detail: 'its time is nearly over' })
  if (context.closing) throw new AoError('DAEMON_NOT_RUNNING', 'The daemon ends')
  const session = await createSession(
    context,
    { agent_name: agentName(context), workspace_path: workspacePath, name: 'coordinator' },
    { type: 'coordinator', ttlExpiresAt: new Date(nowMs(context) + ttlMs).toISOString() },
  )
  return session.meta.id
}

function findCoordinator(context: AghContext, workspacePath: string): LiveSession | null {
  const all = [...context.live.values()]
  const isOne = ({ meta, state }: LiveSession) =>
    meta.type === 'coordinator' && meta.workspace_path === workspacePath && isActive(state)
  return all.find(isOne) ?? null
}

function agentName({ config, paths }: AghContext): string {
  const { agent_name } = config.autonomy.coordinator
  return agentIsDefined(paths, agent_name) ? agent_name : config.defaults.agent
}
