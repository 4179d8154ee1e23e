// Answers in the threads of a review, and settling them, whatever forge it is. Names of threads come from agents and pages: only
// one that this very pull request has is passed on, because the forge would take any with the user's token.

import { AoError } from '../../contract/errors.ts'
import type { ReviewComment } from '../../contract/pull.ts'
import { type CommentWriter, signComment } from '../../core/forge/comment-signature.ts'
import { type PullTarget, readPull, requireAbility } from '../../landing/read-pull.ts'

export interface ThreadReply {
  /** The thread, or one of its comments. */
  thread: string
  body: string
  writer: CommentWriter
}

const LONGEST = 50_000

export async function replyInThread(target: PullTarget, { thread, body, writer }: ThreadReply): Promise<void> {
  const text = body.trim()
  if (text === '') throw new AoError('USAGE', 'An answer needs a text')
  if (text.length > LONGEST) throw new AoError('USAGE', `An answer has at most ${LONGEST} characters`)
  const threads = requireAbility(target, 'threads')
  const existing = await requireThread(target, thread)
  const signed = threads.recordsWriter === true ? text : signComment(text, writer)
  await threads.reply(target.pr, { thread: existing.thread, body: signed }, target.project)
}

export async function resolveThread(
  target: PullTarget,
  { thread, resolved }: { thread: string; resolved: boolean },
): Promise<ReviewComment> {
  const threads = requireAbility(target, 'threads')
  const existing = await requireThread(target, thread)
  await threads.resolve(target.pr, { thread: existing.thread, resolved }, target.project)
  return { ...existing.comment, isResolved: resolved }
}

async function requireThread(target: PullTarget, name: string): Promise<{ thread: string; comment: ReviewComment }> {
  const { comments } = await readPull(target)
  const comment = comments.find(({ id }) => id === name) ?? comments.find(({ thread }) => thread === name)
  if (comment?.thread !== undefined) return { thread: comment.thread, comment }
  throw new AoError('USAGE', `${target.pr.url} has no thread ${JSON.stringify(name)}`, {
    hint: 'The message that brought the review names the thread; the page of the pull request shows all of them',
  })
}
