// Answers in the threads of a review, and settling them, whatever forge it is. Names of threads come from agents and pages: only
// one that this very pull request has is passed on, because the forge would take any with the user's token.
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { PRInfo } from '../../contract/session.ts'
import { type CommentWriter, signComment } from '../../core/forge/comment-signature.ts'
import type { PrSnapshot, ReviewComment, ReviewThreads, Scm } from '../../slots/scm.ts'

export interface ThreadTarget {
  scm: Scm | null
  project: ProjectConfig
  pr: PRInfo
}

export interface ThreadReply {
  /** The thread, or one of its comments. */
  thread: string
  body: string
  writer: CommentWriter
}

const LONGEST = 50_000

export async function replyInThread(target: ThreadTarget, { thread, body, writer }: ThreadReply): Promise<void> {
  const text = body.trim()
  if (text === '') throw new AoError('USAGE', 'An answer needs a text')
  if (text.length > LONGEST) throw new AoError('USAGE', `An answer has at most ${LONGEST} characters`)
  const threads = requireThreads(target)
  const known = await requireThread(target, thread)
  const signed = threads.recordsWriter === true ? text : signComment(text, writer)
  await threads.reply(target.pr, { thread: known.thread, body: signed }, target.project)
}

export async function resolveThread(
  target: ThreadTarget,
  { thread, resolved }: { thread: string; resolved: boolean },
): Promise<ReviewComment> {
  const threads = requireThreads(target)
  const known = await requireThread(target, thread)
  await threads.resolve(target.pr, { thread: known.thread, resolved }, target.project)
  return { ...known.comment, isResolved: resolved }
}

/** As the forge has them now. */
async function readThreads({ scm, project, pr }: ThreadTarget): Promise<PrSnapshot> {
  const reading = (await scm?.readPullRequests?.([{ sessionId: 'threads', branch: null, pr }], project))?.get('threads')
  if (reading?.kind === 'read') return reading.snapshot
  const why = reading?.kind === 'unknown' ? reading.why : 'it is not there'
  throw new AoError('SCM_FAILED', `The threads of ${pr.url} could not be read: ${why}`)
}

async function requireThread(target: ThreadTarget, name: string): Promise<{ thread: string; comment: ReviewComment }> {
  const { comments } = await readThreads(target)
  const comment = comments.find(({ id }) => id === name) ?? comments.find(({ thread }) => thread === name)
  if (comment?.thread !== undefined) return { thread: comment.thread, comment }
  throw new AoError('USAGE', `${target.pr.url} has no thread ${JSON.stringify(name)}`, {
    hint: 'The message that brought the review names the thread; the page of the pull request shows all of them',
  })
}

function requireThreads({ scm, pr }: ThreadTarget): ReviewThreads {
  if (scm?.threads) return scm.threads
  throw new AoError('SCM_FAILED', `The forge ${scm?.name ?? '(none)'} takes no answers from here`, {
    hint: `Answer on its own page: ${pr.url}`,
  })
}
