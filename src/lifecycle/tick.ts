// One pass over the sessions of a project: observe → derive → decide → act. Nothing calls backwards: what an act brings
// about is seen by the next tick.
import type { ProjectConfig } from '../contract/config.ts'
import type { ReactionMemory } from '../contract/reactions.ts'
import type { Session } from '../contract/session.ts'
import { isTerminalSession, type SessionStatus } from '../contract/status.ts'
import { deriveStatus } from '../core/derive-status.ts'
import { decideReactions } from '../core/reactions/decide-reactions.ts'
import { findConditions } from '../core/reactions/find-conditions.ts'
import type { PrView } from '../core/reactions/pr-view.ts'
import { resolveRules } from '../core/reactions/resolve-rules.ts'
import { type CheckFailure, findSharedFailures, type SharedFailure } from '../core/reactions/shared-failures.ts'
import { requireProject } from '../manager/context.ts'
import { storedSessions } from '../manager/enrich.ts'
import { type ObservedSession, observeSessions } from '../manager/observe-sessions.ts'
import type { PrSnapshot } from '../slots/scm.ts'
import { act } from './act.ts'
import { confirmDeath } from './confirm-death.ts'
import type { LoopContext, SessionTick } from './loop-context.ts'
import { prFacts, viewPr } from './pr-view.ts'
import { readReactionMemory, writeReactionMemory } from './reaction-memory.ts'
import { type ForgeReading, readForge } from './read-forge.ts'
import { recordChanges } from './record-changes.ts'

export interface TickOptions {
  /** Only these sessions: something said that they changed. */
  only?: ReadonlySet<string>
  /** false: a local look only, the forge is asked by the slower round. */
  askForge?: boolean
}

export async function tick(loop: LoopContext, projectId: string, options: TickOptions = {}): Promise<SessionTick[]> {
  const project = requireProject(loop.manager, projectId)
  const stored = storedSessions(loop.manager, projectId).filter(({ id }) => options.only?.has(id) ?? true)
  const observed = await observeSessions(loop.manager, stored)
  const forge = options.askForge === false ? EMPTY : await readForge(loop, project, stored)
  const looks = await Promise.all(observed.map((one) => look(loop, project, one, forge)))
  const shared = findSharedFailures(looks.flatMap((one) => checkFailures(one)))
  await tellShared(loop, project, shared)
  const ticks: SessionTick[] = []
  for (const one of looks) ticks.push(await settle(loop, project, one, shared))
  return ticks
}

const EMPTY: ForgeReading = { scm: null, readings: new Map() }

/** All that is known of one session in this tick. */
export interface Look {
  observed: ObservedSession
  status: SessionStatus
  snapshot: PrSnapshot | null
  pr: PrView | null
  memory: ReactionMemory
  stateDir: string
}

async function look(
  loop: LoopContext,
  project: ProjectConfig,
  observed: ObservedSession,
  forge: ForgeReading,
): Promise<Look> {
  const { session } = observed
  const stateDir = loop.manager.paths.project(project.id).stateDir(session.id)
  const memory = readReactionMemory(stateDir)
  const reading = forge.readings.get(session.id)
  const snapshot = reading?.kind === 'read' ? reading.snapshot : null
  const confirmed = await confirmDeath(loop, observed)
  const facts = {
    ...confirmed.facts,
    hasPr: confirmed.facts.hasPr || snapshot !== null,
    pr: snapshot ? prFacts(snapshot) : null,
  }
  const status = deriveStatus(facts, loop.manager.clock.now().getTime())
  const withLogs = snapshot?.ci === 'failing' && memory['ci-failed']?.told.startsWith(snapshot.headSha) !== true
  const pr = snapshot && forge.scm ? await viewPr({ loop, scm: forge.scm, project, snapshot, withLogs }) : null
  return { observed: confirmed, status, snapshot, pr, memory, stateDir }
}

/** Write what changed, then decide and act on it. */
async function settle(
  loop: LoopContext,
  project: ProjectConfig,
  one: Look,
  shared: SharedFailure[],
): Promise<SessionTick> {
  const { observed, status, pr, memory, stateDir } = one
  const { session } = await recordChanges(loop, project, one)
  const changed = session.status !== observed.session.status
  if (wasOverAlready(observed.session, status) || observed.facts.operation) return { session, changed, decisions: [] }
  const now = loop.manager.clock.now().getTime()
  const found = findConditions({
    sessionId: session.id,
    status,
    launch: Number(session.metadata.launch ?? '1'),
    activity: observed.reading
      ? { state: observed.reading.state, at: observed.reading.timestamp?.getTime() ?? now }
      : null,
    pr,
    question: observed.reading?.state === 'waiting_input' ? (observed.info?.lastMessage ?? null) : null,
    sharedFailures: shared.filter(({ sessionIds }) => sessionIds.includes(session.id)).map(({ check }) => check),
    baseBranch: project.defaultBranch,
    told: Object.fromEntries(Object.entries(memory).map(([key, record]) => [key, record?.told ?? ''])),
    now,
  })
  const rules = resolveRules(loop.manager.config, project)
  const answer = decideReactions({ ...found, memory, rules, now })
  writeReactionMemory(stateDir, memory, answer.memory)
  const after = await act(loop, {
    project,
    session,
    snapshot: one.snapshot,
    decisions: answer.decisions,
    memory: answer.memory,
  })
  writeReactionMemory(stateDir, answer.memory, after)
  return { session, changed, decisions: answer.decisions }
}

/** An ended session is history: only its end itself calls for a reaction. */
function wasOverAlready(before: Session, status: SessionStatus): boolean {
  return isTerminalSession({ status: before.status, activity: null }) && before.status === status
}

function checkFailures({ observed, snapshot, pr }: Look): CheckFailure[] {
  if (!pr || !snapshot || pr.ci !== 'failing') return []
  return pr.failedChecks.map(({ name, logTail }) => ({
    sessionId: observed.session.id,
    check: name,
    logTail,
    failsOnBase: snapshot.failingOnBase.includes(name),
  }))
}

async function tellShared(loop: LoopContext, project: ProjectConfig, shared: SharedFailure[]): Promise<void> {
  for (const { check, sessionIds, why, fingerprint } of shared) {
    await loop.notify({
      type: 'ci.shared_failure',
      projectId: project.id,
      priority: 'action',
      message: `${project.name}: check ${check} fails for ${sessionIds.join(', ')}, and ${why}; the agents were not told`,
      dedupeKey: `shared-failure ${project.id} ${fingerprint}`,
    })
  }
}
