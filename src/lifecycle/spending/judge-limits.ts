// Which sessions continue with another account, because a limit stops their agent.

import type { AccountLimit } from '../../contract/account.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import type { Fallback } from '../../contract/reactions.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import {
  accountName,
  accountsFor,
  agentAccount,
  chooseFallback,
  presentAccount,
} from '../../core/budget/choose-fallback.ts'
import type { LoopContext } from '../loop/loop-context.ts'
import type { Observation } from '../tick/observe-session.ts'

/** The account that each continues with; null: it stays with the present one. */
export function judgeLimits(
  loop: LoopContext,
  project: ProjectConfig,
  { all, observations }: { all: readonly Session[]; observations: readonly Observation[] },
): (one: Observation) => Fallback | null {
  // One session's limit is that of all sessions with the same account; why an account failed to start is its own matter.
  const shared = [
    ...all.flatMap((session) => (recordOf(session).limits ?? []).filter(({ why }) => why === undefined)),
    ...observations.flatMap((one) => limitOf(one) ?? []),
  ]
  return (one) => fallbackFor(loop, project, one, shared)
}

/** The limit that stops its agent now. */
function limitOf({ observed }: Observation): AccountLimit | null {
  const { limitResetsAt } = observed.facts
  const present = limitResetsAt && presentAccount(recordOf(observed.session))
  return limitResetsAt && present ? { ...present, until: new Date(limitResetsAt).toISOString() } : null
}

function fallbackFor(
  loop: LoopContext,
  project: ProjectConfig,
  one: Observation,
  shared: readonly AccountLimit[],
): Fallback | null {
  const { config, clock } = loop.context
  const record = recordOf(one.observed.session)
  const { switchTo, limits = [] } = record
  if (switchTo) {
    // It was begun; whatever holds now, it is finished.
    const { account, why } = switchTo
    return { account, name: accountName(agentAccount(config, project, record, account)), limit: null, why }
  }
  const limit = limitOf(one)
  if (limit === null || isTerminalSession({ status: one.status, activity: null })) return null
  const to = chooseFallback({
    accounts: accountsFor(config, project, record),
    present: limit,
    resetsAt: Date.parse(limit.until),
    limits: [...shared, ...limits],
    now: clock.now().getTime(),
  })
  return to && { account: to.account, name: accountName(to), limit, why: `its limit is reached until ${limit.until}` }
}
