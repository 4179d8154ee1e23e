// What an agent may do without asking because somebody answered "always", from each of those who keep such answers. Only what
// ao's own side keeps is revoked by ao; of everything else it says how.
import type { StandingRule, StandingRules } from '../../contract/dashboard/rules.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import type { SessionEvent } from '../../contract/events.ts'
import { findEvents } from '../active.ts'
import { agentOf, type FoundSession, type ManagerContext, requireActive, requireToRead } from '../context.ts'
import { enrichOne } from '../observe/enrich.ts'

export async function readRules(context: ManagerContext, sessionId: string): Promise<StandingRules> {
  const found = requireToRead(context, sessionId)
  const problems: string[] = []
  const reading = async (read: () => Promise<StandingRule[]>) => {
    try {
      return await read()
    } catch (error) {
      problems.push(errorText(error))
      return []
    }
  }
  const rules = [
    ...(await reading(() => ofRuntime(context, found))),
    ...(await reading(() => ofAgentFiles(context, found))),
    ...(await reading(async () => answersIn(found.store.readHistory(sessionId).events, sessionId))),
  ]
  return { rules, problems }
}

async function ofRuntime(context: ManagerContext, found: FoundSession): Promise<StandingRule[]> {
  const heard = await findEvents(context, found)
  const rules = (await heard?.events.standingRules?.(heard.handle)) ?? []
  const how = (id: string) => `ao session rules ${found.stored.id} --revoke ${id}`
  return rules.map(({ id, rule }) => {
    return { id, effect: 'allow', rule, keptBy: 'agh', file: null, since: null, how: how(id) } as const
  })
}

async function ofAgentFiles(context: ManagerContext, found: FoundSession): Promise<StandingRule[]> {
  const session = await enrichOne(context, found)
  const rules = (await agentOf(context.registry, session))?.readStandingRules?.(session) ?? []
  return rules.map((one) => ({ ...one, id: null, keptBy: 'agent', since: null }))
}

/** What a person answered with always: the agent was told so and may act on it, whatever else is revoked. */
function answersIn(events: readonly SessionEvent[], sessionId: string): StandingRule[] {
  const how = `The agent keeps this answer; what it keeps in memory ends with: ao session kill ${sessionId}, then ao session restore ${sessionId}`
  return events.flatMap((event) => {
    if (event.type !== 'permission.answered' || !event.decision.endsWith('-always')) return []
    const { title, option, decision, requestId, at } = event
    const effect = decision.startsWith('allow') ? 'allow' : 'deny'
    const rule = `${title ?? requestId}: ${option ?? decision}`
    return [{ id: null, effect, rule, keptBy: 'agent', file: null, since: at, how } as const]
  })
}

/** Resolves when it no longer holds where it was kept. */
export async function revokeRule(context: ManagerContext, sessionId: string, id: string): Promise<void> {
  const found = requireActive(context, sessionId)
  const heard = await findEvents(context, found)
  const rule = (await heard?.events.standingRules?.(heard.handle))?.find((one) => one.id === id)?.rule
  if (!heard?.events.revokeRule || rule === undefined) {
    throw new AoError('RULE_NOT_FOUND', `ao keeps no standing rule ${id} for ${sessionId}`, {
      hint: `List them, and how to revoke each, with: ao session rules ${sessionId}`,
      details: { sessionId, id },
    })
  }
  await heard.events.revokeRule(heard.handle, id)
  await found.store.appendEvents(sessionId, [{ type: 'permission.revoked', requestId: id, rule }])
}
