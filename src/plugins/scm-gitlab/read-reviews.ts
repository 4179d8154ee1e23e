// Approvals, reviewers and discussions of a merge request as reviews and comments. GitLab has no reviews of its own:
// everything one person says forms one review.
import type { Pull, Review, ReviewComment } from '../../contract/pull.ts'
import { decideReview, type Verdict } from '../../core/forge/decide-review.ts'
import { readSuggestion } from '../../core/forge/suggestion.ts'
import type { GitlabClient } from '../gitlab-api/gitlab-client.ts'
import type { AuthorOf, GitlabUser } from '../gitlab-api/people.ts'
import { commentAuthor } from '../http-api/comment-author.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import { openConversation } from '../http-api/open-conversation.ts'
import type {
  GitlabApprovals,
  GitlabDiscussion,
  GitlabMergeRequest,
  GitlabNote,
  GitlabReviewer,
  GitlabVersion,
} from './gitlab-data.ts'

type ReadReviews = Pick<Pull, 'review' | 'reviews' | 'comments'>

export interface ReviewSource {
  client: GitlabClient
  /** Of the merge request. */
  path: string
  authorOf: AuthorOf
}

export async function readReviews(source: ReviewSource, request: GitlabMergeRequest): Promise<ReadReviews> {
  const { client, path } = source
  const loop = { loop: true, conditional: true }
  const { data: approvals } = await client.call<GitlabApprovals>(`${path}/approvals`, loop)
  const reviewers = await readReviewers(source)
  const discussions = await client.list<GitlabDiscussion>(`${path}/discussions`, loop)
  const refusers = reviewers.filter(({ state }) => state === 'requested_changes')
  const hasConversation = conversationOf(discussions).length > 0
  const comments = await toComments(source, request, discussions)
  const wantsVersions =
    approvals.approved_by.length + refusers.length > 0 || hasConversation || comments.some(isOpenThread)
  const versions = wantsVersions ? await client.list<GitlabVersion>(`${path}/versions`, loop) : []
  const reviews = [
    ...(await Promise.all(refusers.map((one) => refusal(source, one, { discussions, versions })))),
    ...(await Promise.all(approvals.approved_by.map((one) => approval(source, one, { discussions, versions })))),
  ]
  const verdicts = new Set(refusers.map(({ user }) => lastNote(discussions, user)?.id))
  const notes = conversationOf(discussions).filter(({ id }) => !verdicts.has(id))
  const conversation = openConversation({
    comments: await Promise.all(notes.map((note) => toComment(source, request, note))),
    author: request.author?.username ?? null,
    headAt: versions[0]?.created_at ?? null,
    reviews,
  })
  // Only threads and verdicts decide: a friendly comment in the conversation asks for nothing.
  const given = { head: request.sha, reviews, comments, reviewers, discussions, versions }
  const review = decisionOf(approvals, given)
  return { review, reviews, comments: [...comments, ...conversation] }
}

/** What people wrote outside threads. */
function conversationOf(discussions: readonly GitlabDiscussion[]): GitlabNote[] {
  return discussions.flatMap(({ notes }) => {
    const written = notes.filter(({ system }) => !system)
    return written[0]?.resolvable ? [] : written
  })
}

/** Older servers do not have it. */
async function readReviewers({ client, path }: ReviewSource): Promise<GitlabReviewer[]> {
  try {
    return await client.list<GitlabReviewer>(`${path}/reviewers`, { loop: true, conditional: true })
  } catch (error) {
    if (hasStatus(error, 404)) return []
    throw error
  }
}

/** A member's open thread asks for something, whether its author pressed the button or not, until there is a new head. */
function decisionOf(
  approvals: GitlabApprovals,
  given: {
    head: string | null
    reviews: Review[]
    comments: ReviewComment[]
    reviewers: GitlabReviewer[]
    discussions: readonly GitlabDiscussion[]
    versions: readonly GitlabVersion[]
  },
): Pull['review'] {
  const { head, versions } = given
  const verdicts = given.reviews.flatMap(({ state, author, commit, submittedAt: at }): Verdict[] =>
    author.isMember && (state === 'approved' || state === 'changes_requested') ? [{ state, commit, at }] : [],
  )
  const open = given.comments
    .filter(isOpenThread)
    .map(({ createdAt: at }): Verdict => ({ state: 'changes_requested', commit: headAt(versions, at), at }))
  return decideReview({
    headSha: head,
    baseChanges: baseChanges(given.discussions, versions),
    verdicts: [...verdicts, ...open],
    lacksApproval: (approvals.approvals_left ?? 0) > 0,
    isAwaited: given.reviewers.some(({ state }) => state === 'unreviewed'),
  })
}

/** The history says when the target branch was exchanged, and a new version of the same head that its start was. */
function baseChanges(discussions: readonly GitlabDiscussion[], versions: readonly GitlabVersion[]): string[] {
  const noted = discussions
    .flatMap(({ notes }) => notes)
    .filter(({ system, body }) => system && body.startsWith('changed target branch'))
  const restarted = versions.filter((one, index) => {
    const before = versions[index + 1]
    return before?.head_commit_sha === one.head_commit_sha && before.base_commit_sha !== one.base_commit_sha
  })
  return [...noted, ...restarted].map(({ created_at }) => created_at)
}

function isOpenThread({ isResolved, isOwn, author }: ReviewComment): boolean {
  return !isResolved && !isOwn && author.isMember && !author.isBot
}

interface NoteData {
  discussions: readonly GitlabDiscussion[]
  versions: readonly GitlabVersion[]
}

async function approval(
  { authorOf }: ReviewSource,
  { user, approved_at }: GitlabApprovals['approved_by'][number],
  { discussions, versions }: NoteData,
): Promise<Review> {
  const at = approved_at ?? approvalNote(discussions, user)?.created_at
  return {
    id: `approval:${user.id}`,
    author: await authorOf(user),
    state: 'approved',
    body: '',
    commit: at === undefined ? null : headAt(versions, at),
    submittedAt: at ?? '',
  }
}

/** Older servers do not report when somebody approved, but note it in the history. */
function approvalNote(discussions: readonly GitlabDiscussion[], user: GitlabUser): GitlabNote | undefined {
  return systemNotes(discussions, user).findLast(({ body }) => body === 'approved this merge request')
}

async function refusal(
  { authorOf }: ReviewSource,
  { user, created_at }: GitlabReviewer,
  { discussions, versions }: NoteData,
): Promise<Review> {
  // The reviewer's own time is that of the assignment, which says nothing about what they looked at.
  const at = requestNote(discussions, user)?.created_at ?? notesBy(discussions, user).at(-1)?.created_at
  return {
    id: reviewId(user),
    author: await authorOf(user),
    state: 'changes_requested',
    body: lastNote(discussions, user)?.body ?? '',
    commit: at === undefined ? null : headAt(versions, at),
    submittedAt: at ?? created_at,
  }
}

/** Newer servers note in the history that somebody pressed the button. */
function requestNote(discussions: readonly GitlabDiscussion[], user: GitlabUser): GitlabNote | undefined {
  return systemNotes(discussions, user).findLast(({ body }) => body.startsWith('requested changes'))
}

function systemNotes(discussions: readonly GitlabDiscussion[], user: GitlabUser): GitlabNote[] {
  return discussions.flatMap(({ notes }) => notes).filter(({ system, author }) => system && author?.id === user.id)
}

function notesBy(discussions: readonly GitlabDiscussion[], user: GitlabUser): GitlabNote[] {
  return discussions.flatMap(({ notes }) => notes).filter((note) => !note.system && note.author?.id === user.id)
}

/** A person's general comments, used as the body of their review. */
function lastNote(discussions: readonly GitlabDiscussion[], user: GitlabUser): GitlabNote | undefined {
  return notesBy(discussions, user)
    .filter(({ type }) => type !== 'DiffNote')
    .at(-1)
}

/** The head at that time. Versions come newest first. */
function headAt(versions: readonly GitlabVersion[], time: string): string | null {
  const at = Date.parse(time)
  return versions.find(({ created_at }) => Date.parse(created_at) <= at)?.head_commit_sha ?? null
}

/** Of resolvable threads. Replies by the request's author are not remarks about the work. */
async function toComments(
  source: ReviewSource,
  request: GitlabMergeRequest,
  discussions: readonly GitlabDiscussion[],
): Promise<ReviewComment[]> {
  const comments: ReviewComment[] = []
  for (const { id: thread, notes } of discussions) {
    const first = notes.find(({ system }) => !system)
    if (!first?.resolvable) continue
    const isResolved = notes.filter(({ resolvable }) => resolvable).every(({ resolved }) => resolved === true)
    for (const note of notes.filter(({ system }) => !system)) {
      const isReply = note !== first
      const described = await toComment(source, request, note)
      const isByOpener = note.author !== null && note.author.id === request.author?.id
      const authored = commentAuthor({ text: note.body, author: described.author, isByOpener, openerIsAgent: isReply })
      comments.push({ ...described, ...authored, ...positionOf(first, note), thread, isReply, isResolved })
    }
  }
  return comments
}

async function toComment(
  { authorOf }: ReviewSource,
  request: GitlabMergeRequest,
  note: GitlabNote,
): Promise<ReviewComment> {
  return {
    id: String(note.id),
    reviewId: note.author === null ? null : reviewId(note.author),
    author: await authorOf(note.author),
    body: note.body,
    url: `${request.web_url}#note_${note.id}`,
    isResolved: false,
    createdAt: note.created_at,
  }
}

/** Where its thread is. A suggestion says itself which lines around that one it replaces. */
export function positionOf(
  { position }: Pick<GitlabNote, 'position'>,
  { body }: Pick<GitlabNote, 'body'>,
): Pick<ReviewComment, 'path' | 'startLine' | 'line' | 'commit'> {
  const path = position?.new_path ?? position?.old_path
  const line = position?.new_line ?? position?.old_line ?? 0
  const suggestion = readSuggestion(body)
  const first = suggestion ? Math.max(1, line - suggestion.before) : position?.line_range?.start?.new_line || line
  const last = line + (suggestion?.after ?? 0)
  return {
    path: path || undefined,
    startLine: line > 0 && first < last ? first : undefined,
    line: line === 0 ? undefined : last,
    commit: position?.head_sha || undefined,
  }
}

function reviewId({ id }: GitlabUser): string {
  return `review:${id}`
}
