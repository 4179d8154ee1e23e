// A pull request as the reactions see it: with only those words of others that may be passed on.
import type { CommitReview, Pull, PullFacts } from '../../contract/pull.ts'
import type { MemoryKey, ReactionKey } from '../../contract/reactions.ts'

export interface FailedCheck {
  name: string
  url: string | null
  /** The end of its log; '' when the forge has none. */
  logTail: string
}

/** A review's verdict or one of its comments, by an author whose words may reach an agent. */
export interface RemarkView {
  id: string
  author: string
  isBot: boolean
  body: string
  path: string | null
  /** The first of several lines. */
  startLine?: number | null | undefined
  line: number | null
  /** The thread it belongs to, by the forge's name for it; null: it is not in one. */
  thread?: string | null | undefined
  /** What was written in the thread before, oldest first; `author` null: the agent itself. */
  earlier?: Array<{ author: string | null; body: string }> | undefined
}

/**
 * Why its pull request left the train: a car with it was red; it conflicts with what it would land on (`onto`, with the pull
 * requests in it that have not landed, and `said`: why the rules for conflicts did not solve it); it is built on pull requests that will not land; or the forge did not merge it or
 * threw it out of its own queue.
 */
export type LandingFailure =
  /** `byRules`: what the rules for conflicts did. */
  | { why: 'red'; check: string; commit: string; ahead: number[]; byRules?: string | undefined; logTail: string }
  | {
      why: 'conflict'
      files: string[]
      said?: string | undefined
      /** Whose lines are in it, and what both sides wrote. */
      partners?: number[] | undefined
      hunks?: Array<{ path: string; own: string; their: string }> | undefined
      onto?: { commit: string; pulls: number[] } | undefined
    }
  | { why: 'stranded'; commit: string; pulls: number[] }
  | { why: 'refused'; said: string }

/** A pull request, and what there is to say about it. */
export interface PullNews {
  pull: Pull
  facts: PullFacts
  /** It is not the first of its session: reactions to it are remembered with its URL. */
  isFurther?: boolean | undefined
  failedChecks: FailedCheck[]
  /** Unresolved ones only. */
  remarks: RemarkView[]
  /** Ids of the requests for changes that this head has to answer; empty: the forge names none. */
  requests: string[]
  /** The train finds out what to do about its conflicts. */
  isAboard?: boolean | undefined
  /** The train asks for a rebase when its turn has come; nobody else does. */
  isInLine?: boolean | undefined
  /** A reviewer may read this head: it is open, no draft, and nothing else is in its way. */
  reviewable?: boolean | undefined
  /** What a reviewer found in exactly this head; absent: none has read it, or it is not over. */
  reviewed?: CommitReview | undefined
  /** Where a review of this head begins since the base took in part of what was reviewed; absent: where the first one did. */
  reviewFrom?: string | undefined
  /** No reviewer has begun there yet. */
  isReviewOutdated?: boolean | undefined
  /** null: it did not leave the train with this head, or there is no train. */
  landing?: LandingFailure | null | undefined
}

/** Reactions to a further pull request are counted by themselves. */
export function memoryOf(key: ReactionKey, { pull, isFurther }: Pick<PullNews, 'pull' | 'isFurther'>): MemoryKey {
  return isFurther ? `${key} ${pull.pr.url}` : key
}

/** Checks of this commit that the agent already knows about: they fail one after the other, and each is reported once. */
export function reportedChecks(told: string | undefined, headSha: string): string[] {
  const [sha, ...checks] = (told ?? '').split(' ')
  return sha === headSha ? checks : []
}

/** A name as one word. */
export function checkId(name: string): string {
  return encodeURIComponent(name)
}

/** Why it left the train, in words. */
export function departureOf(landing: LandingFailure, baseBranch: string): string {
  if (landing.why === 'conflict') {
    const { pulls = [] } = landing.onto ?? {}
    const partners = landing.partners ?? []
    const ahead = partners.some((one) => pulls.includes(one)) ? partners.filter((one) => pulls.includes(one)) : pulls
    if (ahead.length > 0) return `it conflicts with ${numbers(ahead)} ahead of it`
    return `it conflicts with ${baseBranch}${partners.length > 0 ? `, in lines of ${numbers(partners)}` : ''}`
  }
  if (landing.why === 'stranded') return `it is built on ${numbers(landing.pulls)}, which will not land as it was`
  if (landing.why === 'refused') return `the forge does not merge it: ${landing.said}`
  const behind = landing.ahead.length > 0 ? ` behind ${numbers(landing.ahead)}` : ''
  return `${landing.check} fails${behind}`
}

function numbers(pulls: readonly number[]): string {
  return pulls.map((one) => `#${one}`).join(', ')
}

const MOST_NOTED = 20

/**
 * When people gave their verdicts on it, as ISO 8601: once for each person and commit. Those of agents, of strangers and of whoever
 * opened it are none: they must not make a person look faster.
 */
export function personReviews({ reviews, author, session }: Pick<Pull, 'reviews' | 'author' | 'session'>): string[] {
  const own = new Set([author, session])
  const counted = new Map<string, string>()
  for (const { author: by, state, commit, submittedAt } of reviews) {
    if (state === 'commented' || by.isBot || !by.isMember || own.has(by.login)) continue
    const key = `${by.login} ${commit}`
    if (!counted.has(key) && !Number.isNaN(Date.parse(submittedAt))) counted.set(key, submittedAt)
  }
  return [...counted.values()].slice(-MOST_NOTED)
}
