// Decide, remember the intent, write the new status, then act. In this order a crash at any point loses no reaction:
// what was intended and not confirmed is found in the memory, whatever the status says by then.

import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import type { ReactionMemory, ReactionRecord } from '../../contract/reactions.ts'
import { recordOf } from '../../contract/record.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { decideReactions, type ReactionAnswer } from '../../core/reactions/decide-reactions.ts'
import { findConditions } from '../../core/reactions/find-conditions.ts'
import { resolveRules } from '../../core/reactions/resolve-rules.ts'
import type { SharedFailure } from '../../core/reactions/shared-failures.ts'
import { AGENT_KEYS } from '../../core/reactions/work-progress.ts'
import { failpoint } from '../../lib/failpoint.ts'
import type { LoopContext, SessionTick } from '../loop/loop-context.ts'
import { act } from './act.ts'
import type { Observation } from './observe-session.ts'
import { hasUnfinished } from './reaction-memory.ts'
import { readProgress } from './read-progress.ts'
import { recordChanges } from './record-changes.ts'
import { releaseHeld } from './release-held.ts'

export async function settle(
  loop: LoopContext,
  project: ProjectConfig,
  one: Observation,
  shared: SharedFailure[],
): Promise<SessionTick> {
  const { observed, memory, stored } = one
  const answer = mayDecide(loop, one) ? decide(loop, project, one, shared) : { decisions: [], memory }
  loop.reactions.write(project.id, observed.session.id, { before: stored, after: answer.memory })
  failpoint('loop.intended')
  const { session, isCurrent } = await recordChanges(loop, project, one)
  failpoint('loop.recorded')
  if (isCurrent) releaseHeld(loop, one)
  const changed = session.status !== observed.session.status
  // The record moved on while we looked: the intent stands, and the next look decides whether it still holds.
  if (!isCurrent || answer.decisions.length === 0) return { session, changed, decisions: [] }
  const acting = act(loop, {
    project,
    session,
    snapshot: one.snapshot,
    decisions: answer.decisions,
    memory: answer.memory,
  })
    .then((after) => {
      failpoint('loop.acted')
      loop.reactions.write(project.id, session.id, { before: answer.memory, after })
    })
    .catch((error) => loop.manager.log.error(`the reactions of ${session.id} failed: ${errorText(error)}`))
    .finally(() => loop.acting.delete(session.id))
  loop.acting.set(session.id, acting)
  return { session, changed, decisions: answer.decisions }
}

function mayDecide(loop: LoopContext, { observed, status, memory }: Observation): boolean {
  const { session, facts } = observed
  // What was decided before is still being carried out; its memory is not ours to write now.
  if (facts.operation || loop.acting.has(session.id)) return false
  const wasOver = isTerminalSession({ status: session.status, activity: null }) && session.status === status
  // An ended session is history: only its end itself calls for a reaction, until that was carried out.
  return !wasOver || hasUnfinished(memory)
}

function decide(loop: LoopContext, project: ProjectConfig, one: Observation, shared: SharedFailure[]): ReactionAnswer {
  const { observed, status, pr, memory } = one
  const { session, reading, info } = observed
  const now = loop.manager.clock.now().getTime()
  // A reading without a time must not look like a new one at every tick.
  const launchedAt = (session.restoredAt ?? session.createdAt).getTime()
  const found = findConditions({
    sessionId: session.id,
    status,
    launch: recordOf(session).launch ?? 1,
    activity: reading ? { state: reading.state, at: reading.timestamp?.getTime() ?? launchedAt } : null,
    pr,
    question:
      reading?.state === 'waiting_input' ? (info?.pendingPermissions?.[0]?.title ?? info?.lastMessage ?? null) : null,
    sharedFailures: shared.filter(({ sessionIds }) => sessionIds.includes(session.id)).map(({ check }) => check),
    baseBranch: project.defaultBranch,
    handIn: one.handIn,
    told: mapRecords(memory, ({ told }) => told),
    heard: mapRecords(memory, ({ heard, told }) => heard ?? told),
    now,
  })
  const conditions = found.conditions
    .filter(({ key }) => !one.undecided.has(key))
    // One question is one condition by its time, which a glimpse does not have.
    .filter(({ key }) => !(observed.isGlimpse && reading !== null && AGENT_KEYS.includes(key)))
  const rules = resolveRules(loop.manager.config, project)
  const { resolved, calmed } = found
  return decideReactions({ conditions, resolved, calmed, memory, rules, now, progress: readProgress(one) })
}

function mapRecords(memory: ReactionMemory, of: (record: ReactionRecord) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(memory).map(([key, record]) => [key, of(record)]))
}
