// Comments outside threads cannot be resolved. Each stays open until somebody answers it: the author of the pull request
// with a commit or a reply, or its own author with an approval. The agent's own words, and ao's, ask for nothing. Pure.
import type { Review, ReviewComment } from '../../contract/pull.ts'
import { commentAuthor } from './comment-author.ts'

export interface Conversation {
  comments: ReviewComment[]
  /** Of the pull request: an agent's own words are not remarks about its work. */
  author: string | null
  /** When the newest commit was made; null: unknown. */
  headAt: string | null
  reviews: readonly Review[]
}

export function openConversation({ comments, author, headAt, reviews }: Conversation): ReviewComment[] {
  const entries = comments.map((one) => {
    const isByOpener = one.author.login === author
    return { ...one, ...commentAuthor({ text: one.body, author: one.author, isByOpener, openerIsAgent: true }) }
  })
  const lastOfAuthor = newest(entries.filter(({ isOwn }) => isOwn).map(({ createdAt }) => createdAt))
  return entries.map((one) => {
    if (one.isOwn) return { ...one, isResolved: true }
    const approvedAt = newest(
      reviews.filter(({ state, author: by }) => state === 'approved' && by.login === one.author.login).map(atOf),
    )
    // Only the last report of a bot that reports on every push counts.
    const latest = one.author.isBot ? newest(comments.filter(isBy(one)).map(({ createdAt }) => createdAt)) : 0
    const answered = [headAt === null ? 0 : Date.parse(headAt), lastOfAuthor, approvedAt, latest]
    return { ...one, isResolved: one.isResolved || answered.some((at) => at > Date.parse(one.createdAt)) }
  })
}

function isBy({ author }: ReviewComment): (other: ReviewComment) => boolean {
  return (other) => other.author.login === author.login
}

function atOf({ submittedAt }: Review): string {
  return submittedAt
}

/** 0: there is none. */
function newest(times: readonly string[]): number {
  return Math.max(0, ...times.map((time) => Date.parse(time)).filter((time) => !Number.isNaN(time)))
}
