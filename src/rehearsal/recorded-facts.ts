// A session of a recorded day as a round of the loop would have observed it.

import { ANY_FORGE } from '../contract/forges.ts'
import type { CommitReview, Pull } from '../contract/pull.ts'
import type { MemoryKey, ReactionMemory } from '../contract/reactions.ts'
import type { Session } from '../contract/session.ts'
import type { Collision } from '../core/radar/collisions.ts'
import type { LandingFailure, PullNews } from '../core/reactions/pull-news.ts'
import type { MaskedNews, SessionFacts } from '../core/recording/cassette.ts'
import type { StatusFacts } from '../core/status/derive-status.ts'
import type { RadarView } from '../lifecycle/loop/loop-context.ts'
import { conclude, type Observation } from '../lifecycle/tick/observe-session.ts'
import type { ManagerContext } from '../manager/context.ts'
import { factsOf, noAnswer, type ObservedSession } from '../manager/observe/observe-sessions.ts'
import type { Liveness } from '../slots/runtime.ts'
import type { newsShape } from './read-cassette.ts'

type News = (typeof newsShape)['_zod']['output']

export function observationOf(
  context: ManagerContext,
  session: Session,
  recorded: SessionFacts,
  { memory, now }: { memory: ReactionMemory; now: number },
): Observation {
  const { reading: read, cost, operation, limitResetsAt, isPaused, isFleetPaused, isGlimpse } = recorded
  const liveness = livenessOf(recorded.live)
  const reading = read && { state: read.state, ...(read.at !== null && { timestamp: new Date(read.at) }) }
  const observed: ObservedSession = {
    ...{ session, runtime: null, agent: null, liveness, reading, paused: null, isFleetPaused, isGlimpse },
    isComplete: true,
    facts: {
      ...factsOf(context, session, liveness, reading),
      operation: operation && {
        kind: operation.kind as NonNullable<StatusFacts['operation']>['kind'],
        ownerAlive: operation.ownerAlive,
        data: { keepWorkspace: operation.keepWorkspace },
      },
      limitResetsAt,
      isPaused,
    },
    info: {
      ...{ summary: null, agentSessionId: null },
      ...(recorded.expired && { expiredRequest: { text: '', at: '' } }),
      ...(cost && {
        cost: {
          ...{ inputTokens: cost[0], outputTokens: cost[1], cacheReadTokens: cost[2], cacheWriteTokens: cost[3] },
          estimatedCostUsd: cost[4],
        },
      }),
    },
  }
  return {
    ...conclude(observed, recorded.pulls.map(newsOf), now),
    ...{ memory, stored: memory, isActing: recorded.isActing, head: recorded.head, handIn: ANY_FORGE },
    undecided: new Set(recorded.undecided as MemoryKey[]),
    promptSeen: recorded.promptSeen,
  }
}

function livenessOf(live: SessionFacts['live']): Liveness | null {
  if (live === null) return null
  const why = 'as recorded'
  if (live.state === 'dead') return { state: 'dead', exitCode: live.exitCode, signal: live.signal, why }
  if (live.state === 'alive') return { state: 'alive' }
  return live.lost ? noAnswer('its runtime', why) : { state: 'unknown', why }
}

/** Its words are hashes: they are compared, and never shown or sent. */
function newsOf(masked: MaskedNews): PullNews {
  const { pull, landing, reviewed, reviewFrom, ...news } = masked as unknown as News
  return {
    ...(news as Pick<PullNews, 'facts' | 'requests'> & typeof news),
    pull: { ...pull, checks: [], reviews: [], comments: [], updatedAt: '' } as Pull,
    failedChecks: news.failedChecks.map((one) => ({ ...one, url: null })),
    remarks: news.remarks.map((one) => ({ ...one, author: 'somebody', body: '', path: null, line: null })),
    landing: landing && ({ ...landing, ...(landing.why === 'red' && { logTail: '' }) } as LandingFailure),
    reviewFrom: reviewFrom ?? undefined,
    reviewed: reviewed ? reviewOf(reviewed, pull) : undefined,
  } as PullNews
}

function reviewOf(
  { reviewer, failed, findings }: NonNullable<News['reviewed']>,
  { pr, headSha }: News['pull'],
): CommitReview {
  const finding = { file: null, line: null, severity: 'note' as const, text: '' }
  return {
    ...{ reviewer, failed, session: '', pull: pr.url, number: pr.number, head: headSha, from: '', round: 1 },
    ...{ agent: '', startedAt: '', endedAt: '', summary: null },
    findings: Array.from({ length: Math.min(findings, 1_000) }, () => finding),
  }
}

/** null: the radar had not seen the project. */
export function collisionsOf(facts: ReadonlyMap<string, SessionFacts>): RadarView | null {
  if (![...facts.values()].some(({ collisions }) => collisions !== null)) return null
  const collisions = [...facts].map(([id, one]): [string, Collision[]] => [id, (one.collisions ?? []).map(collisionOf)])
  return { picture: {} as RadarView['picture'], collisions: new Map(collisions) }
}

function collisionOf({ other, files, red }: NonNullable<SessionFacts['collisions']>[number]): Collision {
  const side = { lines: [], change: 'changed' } as unknown as Collision['files'][number]['own']
  return {
    other: { id: other, title: other, branch: '', sessionId: other, pull: null, commits: 1 } as Collision['other'],
    stage: '',
    files: files.map((path) => ({ path, own: side, their: side, hunks: [] })),
    ...(red !== undefined && { red: { check: red, test: null, log: '', commit: '' } }),
  }
}
