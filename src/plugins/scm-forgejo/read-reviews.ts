// Reviews, their comments and the conversation of a pull request.
import type { Pull, Review, ReviewComment } from '../../contract/pull.ts'
import { readSignature } from '../../core/forge/comment-signature.ts'
import { decideReview, type Verdict } from '../../core/forge/decide-review.ts'
import type { ForgejoClient } from '../forgejo-api/forgejo-client.ts'
import type { AuthorOf } from '../forgejo-api/people.ts'
import { commentAuthor } from '../http-api/comment-author.ts'
import { openConversation } from '../http-api/open-conversation.ts'
import type { ForgejoComment, ForgejoEvent, ForgejoPull, ForgejoReview, ForgejoReviewComment } from './forgejo-data.ts'

type ReadReviews = Pick<Pull, 'review' | 'reviews' | 'comments'>

export interface ReviewSource {
  client: ForgejoClient
  /** Of the repository in the API. */
  apiPath: string
  authorOf: AuthorOf
}

const LOOP = { loop: true, conditional: true }
const STATES: Readonly<Record<string, Review['state']>> = {
  APPROVED: 'approved',
  REQUEST_CHANGES: 'changes_requested',
  COMMENT: 'commented',
}

export async function readReviews(source: ReviewSource, pull: ForgejoPull): Promise<ReadReviews> {
  const { client, apiPath } = source
  const path = `${apiPath}/pulls/${pull.number}/reviews`
  // A review that is not submitted yet, and a review request, have other states.
  const given = (await client.list<ForgejoReview>(path, LOOP)).filter(({ state }) => state in STATES)
  const reviews = await Promise.all(given.map((one) => toReview(source, one)))
  const threads = await readThreads(source, pull, path, given)
  const conversation = await readConversation(source, pull, reviews)
  const baseChanges = await readBaseChanges(source, pull, reviews)
  return {
    review: decisionOf(pull, { reviews, threads, baseChanges }),
    reviews,
    comments: [...threads, ...conversation],
  }
}

/** Asked only for what is approved, which would count otherwise. */
async function readBaseChanges(
  { client, apiPath }: ReviewSource,
  { number, head }: ForgejoPull,
  reviews: readonly Review[],
): Promise<string[]> {
  const approval = reviews.find(({ state, commit }) => state === 'approved' && commit === head.sha)
  if (approval === undefined) return []
  const path = `${apiPath}/issues/${number}/timeline?since=${encodeURIComponent(approval.submittedAt)}`
  const events = await client.list<ForgejoEvent>(path, LOOP)
  return events.filter(({ type }) => type === 'change_target_branch').map(({ created_at }) => created_at)
}

async function toReview({ authorOf }: ReviewSource, review: ForgejoReview): Promise<Review> {
  return {
    id: String(review.id),
    author: await authorOf(review.user),
    state: review.dismissed ? 'dismissed' : STATES[review.state]!,
    body: readSignature(review.body ?? '').body,
    commit: review.commit_id || null,
    submittedAt: review.submitted_at,
  }
}

/** Comments on lines of the code. Words of the pull request's author are not remarks about the work. */
async function readThreads(
  { client, authorOf }: ReviewSource,
  pull: ForgejoPull,
  path: string,
  reviews: readonly ForgejoReview[],
): Promise<ReviewComment[]> {
  const comments: ReviewComment[] = []
  for (const { id } of reviews.filter(({ comments_count: count }) => count !== 0)) {
    const { data } = await client.call<ForgejoReviewComment[] | null>(`${path}/${id}/comments`, LOOP)
    // Forgejo shows what a review says about one line as one conversation; it has no name of its own.
    const firsts = new Map<string, ForgejoReviewComment>()
    for (const one of data ?? []) {
      const line = one.position || one.original_position || undefined
      const key = `${one.path}:${line}`
      const first = firsts.get(key) ?? one
      firsts.set(key, first)
      const author = await authorOf(one.user)
      const isByOpener = one.user !== null && one.user.id === pull.user?.id
      comments.push({
        id: String(one.id),
        reviewId: String(id),
        author,
        ...commentAuthor({ text: one.body, author, isByOpener, openerIsAgent: true }),
        path: one.path,
        line,
        commit: one.commit_id || undefined,
        url: one.html_url,
        thread: `${id}-${first.id}`,
        isReply: one !== first,
        isResolved: first.resolver != null,
        createdAt: one.created_at,
      })
    }
  }
  return comments
}

async function readConversation(
  { client, apiPath, authorOf }: ReviewSource,
  pull: ForgejoPull,
  reviews: Review[],
): Promise<ReviewComment[]> {
  const { data } = await client.call<ForgejoComment[] | null>(`${apiPath}/issues/${pull.number}/comments`, LOOP)
  if (data === null || data.length === 0) return []
  const comments = await Promise.all(
    data.map(async ({ id, user, body, html_url: url, created_at: createdAt }) => {
      const author = await authorOf(user)
      return { id: `comment:${id}`, reviewId: null, author, body, url, isResolved: false, createdAt }
    }),
  )
  const { data: head } = await client.call<{ created?: string }>(`${apiPath}/git/commits/${pull.head.sha}`, LOOP)
  return openConversation({ comments, author: pull.user?.login ?? null, headAt: head.created ?? null, reviews })
}

/**
 * The last verdict of each member counts; a member's open comment asks for something, whatever their verdict, until there is
 * a new head.
 */
function decisionOf(
  pull: ForgejoPull,
  { reviews, threads, baseChanges }: { reviews: Review[]; threads: ReviewComment[]; baseChanges: string[] },
): Pull['review'] {
  const verdicts = new Map<string, Verdict>()
  const commits = new Map(reviews.map(({ id, commit }) => [id, commit]))
  for (const { author, state, commit, submittedAt: at } of reviews) {
    if (author.isMember && (state === 'approved' || state === 'changes_requested'))
      verdicts.set(author.login, { state, commit, at })
  }
  const open = threads
    .filter(({ isResolved, isOwn, author }) => !isResolved && !isOwn && author.isMember && !author.isBot)
    .map(({ reviewId, createdAt: at }): Verdict => {
      return { state: 'changes_requested', commit: commits.get(reviewId ?? '') ?? null, at }
    })
  return decideReview({
    headSha: pull.head.sha,
    baseChanges,
    verdicts: [...verdicts.values(), ...open],
    lacksApproval: false,
    isAwaited: (pull.requested_reviewers ?? []).length > 0,
  })
}
