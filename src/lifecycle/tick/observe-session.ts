// All that is known of one session in this tick, and the status that follows.

import type { ProjectConfig } from '../../contract/config.ts'
import type { HandIn } from '../../contract/forges.ts'
import type { Pull } from '../../contract/pull.ts'
import type { Fallback, ReactionKey, ReactionMemory } from '../../contract/reactions.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import type { SessionStatus } from '../../contract/status.ts'
import type { OverBudget } from '../../core/budget/find-over-budget.ts'
import type { PrView } from '../../core/reactions/pr-view.ts'
import { deriveStatus } from '../../core/status/derive-status.ts'
import { readPrompt } from '../../manager/launch/prompt-files.ts'
import { hasSeen } from '../../manager/message/wait-until-seen.ts'
import type { ObservedSession } from '../../manager/observe/observe-sessions.ts'
import type { PrReading } from '../../slots/scm.ts'
import type { LoopContext } from '../loop/loop-context.ts'
import { confirmDeath } from './confirm-death.ts'
import { confirmIntents } from './confirm-intents.ts'
import { prFacts, viewPr } from './pr-view.ts'
import type { ForgeReading } from './read-forge.ts'

export interface Observation {
  readonly observed: ObservedSession
  readonly status: SessionStatus
  readonly snapshot: Pull | null
  readonly pr: PrView | null
  /** What was done about reactions, as far as is known now. */
  readonly memory: ReactionMemory
  /** The same as stored on disk. */
  readonly stored: ReactionMemory
  /** An earlier decision was being carried out when the memory was read, so that it may say less than is true by now. */
  readonly isActing: boolean
  /** Reactions that may or may not have been carried out: they wait. */
  readonly undecided: ReadonlySet<ReactionKey>
  /** How this agent hands in its work. */
  readonly handIn: HandIn
  /** Only now do the agent's records show its initial prompt. */
  readonly promptSeen: boolean
}

/** The same, with what the sessions of a project together allow it. */
export interface Judged extends Observation {
  /** The limit that it has reached, and the day; null: it may spend more. undefined: nothing is counted. */
  readonly overBudget: { over: OverBudget; day: string } | null | undefined
  /** The account that it continues with; null: it stays with the present one. */
  readonly fallback: Fallback | null
}

export async function observeSession(
  loop: LoopContext,
  project: ProjectConfig,
  observed: ObservedSession,
  forge: ForgeReading,
): Promise<Observation> {
  const { session } = observed
  const isActing = loop.acting.has(session.id)
  const stored = loop.reactions.read(project.id, session.id)
  const { memory, undecided } = await confirmIntents(loop, { session, project }, stored)
  const reading = forge.readings.get(session.id)
  const snapshot = reading?.kind === 'read' ? reading.snapshot : null
  const told = memory['ci-failed']?.heard ?? memory['ci-failed']?.told
  const pr = snapshot && forge.scm ? await viewPr({ loop, scm: forge.scm, project, snapshot, told }) : null
  const confirmed = await confirmDeath(loop, observed)
  const facts = {
    ...confirmed.facts,
    stored: believedStatus(confirmed.facts.stored, reading),
    hasPr: confirmed.facts.hasPr || snapshot !== null,
    // The forge was not queried or did not answer: its previous answer stands.
    pr: snapshot ? prFacts(snapshot, pr?.landing) : confirmed.facts.pr,
  }
  const status = deriveStatus(facts, loop.context.clock.now().getTime())
  const promptSeen = await isPromptSeen(loop, project, session)
  const inputs = { memory, stored, isActing, undecided }
  return { observed: confirmed, status, snapshot, pr, ...inputs, promptSeen, handIn: forge.handIn }
}

/** `merged` can be written from inside the session (`gh pr merge`): it is a claim until the forge confirms it. */
function believedStatus(stored: SessionStatus, reading: PrReading | undefined): SessionStatus {
  return stored === 'merged' && reading?.kind === 'read' && reading.snapshot.state === 'open' ? 'pr_open' : stored
}

/** An agent that has not recorded its first prompt by then keeps no such records. */
const WORTH_ASKING_MS = 15 * 60_000

/** Do the agent's own records show its initial prompt? `promptDelivered` says so from then on. */
async function isPromptSeen(loop: LoopContext, project: ProjectConfig, session: Session): Promise<boolean> {
  const { promptDelivered, spawnId } = recordOf(session)
  if (promptDelivered !== 'unconfirmed') return false
  const since = session.restoredAt ?? session.createdAt
  if (loop.context.clock.now().getTime() - since.getTime() > WORTH_ASKING_MS) return false
  const text = readPrompt(loop.context.paths.project(project.id).stateDir(session.id))
  if (text === null) return false
  const messageId = `prompt-${spawnId ?? session.id}`
  return (await hasSeen(loop.context, session, { messageId, text, since })) === true
}
