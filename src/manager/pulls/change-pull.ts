// What people and agents do to a pull request besides merging it, whatever forge it is: the same rules for the commands and the
// page. Where agents and people share one account on the forge, a signature says who wrote.
import { AoError } from '../../contract/errors.ts'
import type { Review, ReviewComment } from '../../contract/pull.ts'
import { type CommentWriter, signComment } from '../../core/forge/comment-signature.ts'
import { type PullTarget, requireAbility } from '../../landing/read-pull.ts'
import type { NewComment, NewReview, Scm } from '../../slots/scm.ts'

export async function reviewPull(target: PullTarget, review: NewReview): Promise<Review> {
  const { scm, project, pr } = target
  const give = requireAbility(target, 'reviewPR')
  if (review.state === 'changes_requested' && review.body.trim() === '' && review.comments.length === 0)
    throw new AoError('USAGE', 'Say what has to change: a body or a comment on a line')
  const sign = signer(scm, { kind: 'person' })
  const comments = review.comments.map((one) => ({ ...one, body: sign(one.body) }))
  return give(pr, { ...review, body: review.body.trim() === '' ? '' : sign(review.body), comments }, project)
}

export async function commentOnPull(
  target: PullTarget,
  { writer, ...comment }: NewComment & { writer: CommentWriter },
): Promise<ReviewComment> {
  const { scm, project, pr } = target
  if (comment.body.trim() === '') throw new AoError('USAGE', 'A comment needs a text')
  const write = requireAbility(target, 'commentPR')
  const made = await write(pr, { ...comment, body: signer(scm, writer)(comment.body) }, project)
  return { ...made, body: comment.body }
}

/** A forge that records who wrote needs no signature. */
function signer({ threads }: Scm, writer: CommentWriter): (text: string) => string {
  return threads?.recordsWriter && writer.kind !== 'ao' ? (text) => text : (text) => signComment(text, writer)
}
