// All that is known of one session in this tick, and the status that follows.

import type { ProjectConfig } from '../../contract/config.ts'
import { pullRef } from '../../contract/ids.ts'
import type { PullFacts } from '../../contract/pull.ts'
import type { MemoryKey, ReactionMemory } from '../../contract/reactions.ts'
import { recordOf } from '../../contract/record.ts'
import { firstMessageId } from '../../contract/record-values.ts'
import type { Session } from '../../contract/session.ts'
import type { SessionStatus } from '../../contract/status.ts'
import type { PullNews } from '../../core/reactions/pull-news.ts'
import { deriveStatus, factsOfStatus, isFinished, nextChangeAt } from '../../core/status/derive-status.ts'
import { decidingPull, recordedPulls } from '../../core/status/recorded-facts.ts'
import { readHead } from '../../git/git-dir.ts'
import type { ReachedSession } from '../../manager/context.ts'
import { hasSeen } from '../../manager/message/entry-check.ts'
import type { ObservedSession } from '../../manager/observe/observe-sessions.ts'
import { readPrompt } from '../../store/session/session-file.ts'
import type { LoopContext, Observation } from '../loop/loop-context.ts'
import { confirmDeath } from './confirm-death.ts'
import { confirmIntents } from './confirm-intents.ts'
import { readNews } from './pull-news.ts'
import type { ForgeReading } from './read-forge.ts'

export type { Judged, Observation } from '../loop/loop-context.ts'

export async function observeSession(
  loop: LoopContext,
  project: ProjectConfig,
  observed: ObservedSession,
  { forge, now }: { forge: ForgeReading; now: number },
): Promise<Observation> {
  const { session, liveness } = observed
  const isActing = loop.acting.has(session.id)
  const stored = loop.reactions.read(project.id, session.id)
  const { memory, undecided } = hasIntents(stored)
    ? await confirmIntents(loop, observed, stored)
    : { memory: stored, undecided: NO_KEYS }
  const { branch, commit: head } = session.workspacePath === null ? NOWHERE : readHead(session.workspacePath)
  const pulls = await readPulls(loop, project, { session, forge, memory, branch })
  const confirmed = liveness?.state === 'dead' ? await confirmDeath(observed) : observed
  return {
    ...conclude(confirmed, pulls, now),
    head,
    memory,
    stored,
    isActing,
    undecided,
    handIn: forge.handIn,
    promptSeen: await isPromptSeen(loop, project, observed),
  }
}

const NOWHERE = { branch: null, commit: null }

type Concluded = 'observed' | 'status' | 'statusFacts' | 'nextChangeAt' | 'isFinished' | 'pulls' | 'at'

/** The status that follows from what was observed. */
export function conclude(
  confirmed: ObservedSession,
  pulls: readonly PullNews[],
  now: number,
): Pick<Observation, Concluded> {
  const { session } = confirmed
  const facts = {
    ...confirmed.facts,
    stored: believedStatus(confirmed.facts.stored, pulls),
    hasPr: confirmed.facts.hasPr || pulls.length > 0,
    // The forge was not queried or did not answer: its previous answer stands.
    pr: decidingOf(session, pulls) ?? confirmed.facts.pr,
  }
  const status = deriveStatus(facts, now)
  return {
    observed: confirmed,
    at: now,
    status,
    statusFacts: factsOfStatus(status),
    nextChangeAt: nextChangeAt(confirmed.facts, now),
    // A pull request that was closed is no longer what the session is about.
    isFinished: isFinished({ ...session, pr: null, status, activity: confirmed.reading?.state ?? null }),
    pulls,
  }
}

const NO_KEYS: ReadonlySet<MemoryKey> = new Set()

function hasIntents(memory: ReactionMemory): boolean {
  return Object.values(memory).some((record) => record?.state === 'intended')
}

/** Of each of them, and which one the session is about. One that could not be read now is what it was. */
async function readPulls(
  loop: LoopContext,
  project: ProjectConfig,
  of: { session: Session; forge: ForgeReading; memory: ReactionMemory; branch: string | null },
): Promise<PullNews[]> {
  const { session, memory, branch: head } = of
  const { scm, gates, readings } = of.forge
  const reading = readings.get(session.id)
  if (reading?.kind !== 'read' || scm === null) return []
  const all = [...(reading.others ?? []), reading.snapshot].sort((a, b) => a.pr.number - b.pr.number)
  const record = recordOf(session)
  const [first] = [...recordedPulls(record).map(({ url }) => url), ...all.map(({ pr }) => pr.url)].sort(byNumber)
  const news = await Promise.all(
    all.map(async (snapshot) => {
      const found = await readNews({
        loop,
        scm,
        gates,
        project,
        snapshot,
        isFurther: snapshot.pr.url !== first,
        memory,
      })
      const { url, branch } = found.facts
      const wasOwn = recordedPulls(record).some((one) => one.isOwn && one.url === url && one.branch === branch)
      const isOwn = wasOwn || (branch !== undefined && branch === head)
      return isOwn ? { ...found, facts: { ...found.facts, isOwn: true as const } } : found
    }),
  )
  const deciding = decidingPull(
    news.map(({ facts }) => facts),
    record.pr,
  )
  return news.sort((a, b) => Number(b.facts === deciding) - Number(a.facts === deciding))
}

/** One that is open, as far as is known, and could not be read now counts as it was. */
function decidingOf(session: Session, pulls: readonly PullNews[]): PullFacts | undefined {
  const read = pulls.map(({ facts }) => facts)
  const isUnread = ({ url, state }: PullFacts) => state === 'open' && !read.some((one) => one.url === url)
  return read[0] && decidingPull([...recordedPulls(recordOf(session)).filter(isUnread), ...read], read[0].url)
}

/** Forges number them as they are opened. */
function byNumber(a: string, b: string): number {
  return (pullRef(a).number ?? 0) - (pullRef(b).number ?? 0)
}

/** `merged` can be written from inside the session (`gh pr merge`): it is a claim until the forge confirms it. */
function believedStatus(stored: SessionStatus, [deciding]: readonly PullNews[]): SessionStatus {
  return stored === 'merged' && deciding?.pull.state === 'open' ? 'pr_open' : stored
}

/** An agent that has not recorded its first prompt by then keeps no such records. */
const WORTH_ASKING_MS = 15 * 60_000

/** Do the agent's own records show its initial prompt? `promptDelivered` says so from then on. */
async function isPromptSeen(loop: LoopContext, project: ProjectConfig, reached: ReachedSession): Promise<boolean> {
  const { session } = reached
  const { promptDelivered, spawnId } = recordOf(session)
  if (promptDelivered !== 'unconfirmed') return false
  const since = session.restoredAt ?? session.createdAt
  if (loop.context.clock.now().getTime() - since.getTime() > WORTH_ASKING_MS) return false
  const text = readPrompt(loop.context.paths.project(project.id).stateDir(session.id))
  if (text === null) return false
  const messageId = firstMessageId(session.id, { spawnId })
  return (await hasSeen(loop.context, reached, { messageId, text, since })) === true
}
