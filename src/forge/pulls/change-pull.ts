// Everything people and agents do to a pull request except merging it.
import { randomUUID } from 'node:crypto'
import { AoError } from '../../contract/errors.ts'
import { isAncestor } from '../../git/merge-memory.ts'
import { localAuthor, sessionOf } from '../../inside/local-author.ts'
import type { LineComment } from '../../slots/scm.ts'
import { verifyView } from '../merge/verify-view.ts'
import type { LocalForge } from '../types.ts'
import { requireInDiff } from './diff-pull.ts'
import { keepHead } from './keep-head.ts'
import { cleanNames, NAME_LISTS } from './name-list.ts'
import { listBranches, observePull } from './observe-pulls.ts'
import type { LocalPull, LocalReviewComment, PullEventBody, ReviewState } from './pull-events.ts'

export interface NewReview {
  state: ReviewState
  body: string
  comments: LineComment[]
  /** The head that was reviewed; undefined: the current one. */
  expected?: string | undefined
}

export function reviewPull(forge: LocalForge, number: number, review: NewReview): Promise<LocalPull> {
  const { env } = forge.context
  return forge.pulls.change(number, async (pull, append) => {
    requireOpen(pull)
    const by = localAuthor(env)
    if (review.state !== 'commented' && pull.session !== null && pull.session === sessionOf(env)) {
      const what = review.state === 'approved' ? 'approve' : 'request changes on'
      throw new AoError('SCM_FAILED', `Review Can not ${what} your own pull request`, { details: { number } })
    }
    if (review.state === 'changes_requested' && review.body.trim() === '' && review.comments.length === 0) {
      throw new AoError('USAGE', 'Say what has to change: a body or a comment on a line')
    }
    const view = await observePull(forge, pull)
    const { headSha, from } = view
    if (review.expected !== undefined && review.expected !== headSha) throw headMoved(pull, headSha, review.expected)
    if (review.state === 'approved') await verifyView(forge, view)
    await requireInDiff(forge, pull, review.comments)
    if (headSha !== pull.headSha) append(by, { type: 'pushed', headSha })
    return append(by, {
      type: 'reviewed',
      id: `review-${randomUUID().slice(0, 8)}`,
      state: review.state,
      body: review.body,
      commit: headSha,
      from: from ?? undefined,
      isBot: sessionOf(env) !== null,
      comments: review.comments.map((one) => ({ id: newCommentId(), ...one })),
    })
  })
}

export async function commentOnPull(
  forge: LocalForge,
  number: number,
  comment: Omit<LocalReviewComment, 'id'>,
): Promise<LocalPull> {
  if (comment.body.trim() === '') throw new AoError('USAGE', 'A comment needs a text')
  const pull = forge.pulls.read(number)
  if (pull !== null) await requireInDiff(forge, pull, [comment])
  const isBot = sessionOf(forge.context.env) !== null
  return record(forge, number, { type: 'commented', isBot, comment: { id: newCommentId(), ...comment } })
}

/** Joins the thread that the comment belongs to. */
export function replyToComment(
  forge: LocalForge,
  number: number,
  { commentId, body }: { commentId: string; body: string },
): Promise<LocalPull> {
  if (body.trim() === '') throw new AoError('USAGE', 'A comment needs a text')
  return forge.pulls.change(number, (pull, append) => {
    const { path, startLine, line, id, inReplyTo } = requireComment(pull, commentId)
    const comment = { id: newCommentId(), body, path, startLine, line, inReplyTo: inReplyTo ?? id }
    const isBot = sessionOf(forge.context.env) !== null
    return append(localAuthor(forge.context.env), { type: 'commented', isBot, comment })
  })
}

/** Other people's text stays as it was written. */
export function editComment(
  forge: LocalForge,
  number: number,
  { commentId, body }: { commentId: string; body: string },
): Promise<LocalPull> {
  if (body.trim() === '') throw new AoError('USAGE', 'A comment needs a text')
  const by = localAuthor(forge.context.env)
  return forge.pulls.change(number, (pull, append) => {
    const { author } = requireComment(pull, commentId)
    if (author !== by)
      throw new AoError('SCM_FAILED', `Comment ${commentId} was written by ${author}; ${by} cannot edit it`)
    return append(by, { type: 'comment_edited', commentId, body })
  })
}

export function resolveComment(
  forge: LocalForge,
  number: number,
  { commentId, resolved }: { commentId: string; resolved: boolean },
): Promise<LocalPull> {
  return forge.pulls.change(number, (pull, append) => {
    const { id, inReplyTo } = requireComment(pull, commentId)
    return append(localAuthor(forge.context.env), { type: 'resolved', commentId: inReplyTo ?? id, resolved })
  })
}

function requireComment(pull: LocalPull, commentId: string): LocalPull['comments'][number] {
  const found = pull.comments.find(({ id }) => id === commentId)
  if (found) return found
  throw new AoError('USAGE', `Pull request ${pull.number} has no comment ${commentId}`, {
    hint: `See them with: ao pr view ${pull.number} --json`,
  })
}

export function editPull(
  forge: LocalForge,
  number: number,
  change: Omit<Extract<PullEventBody, { type: 'edited' }>, 'type'>,
): Promise<LocalPull> {
  const names = NAME_LISTS.flatMap((list) => (change[list] ? [[list, cleanNames(change[list])]] : []))
  return forge.pulls.change(number, async (pull, append) => {
    if (change.base !== undefined && change.base !== pull.base) await requireNewBase(forge, pull, change.base)
    const event: PullEventBody = { type: 'edited', ...change, ...Object.fromEntries(names) }
    return append(localAuthor(forge.context.env), event)
  })
}

/** A base that already holds the head would make it look merged. */
async function requireNewBase(forge: LocalForge, pull: LocalPull, base: string): Promise<void> {
  const refuse = (why: string) =>
    new AoError('SCM_FAILED', `The base of pull request ${pull.number} cannot be changed: ${why}`, {
      details: { number: pull.number, base },
    })
  const { state, headSha } = await observePull(forge, pull)
  if (state !== 'open') throw refuse(`it is ${state}`)
  if (base === pull.head) throw refuse(`${base} cannot be merged into itself`)
  const baseSha = (await listBranches(forge.repository())).get(base)
  if (baseSha === undefined) throw refuse(`there is no branch ${base}`)
  if (await isAncestor(forge.memory, forge.repository(), { head: headSha, base: baseSha }))
    throw refuse(`${base} has all of its commits`)
}

export function closePull(forge: LocalForge, number: number): Promise<LocalPull> {
  return forge.pulls.change(number, async (pull, append) => {
    const { state, headSha } = await observePull(forge, pull)
    if (state === 'merged') throw new AoError('PR_NOT_MERGEABLE', `Pull request ${number} is merged already`)
    if (state === 'closed') return pull
    await keepHead(forge, number, headSha)
    return append(localAuthor(forge.context.env), { type: 'closed', headSha })
  })
}

export function reopenPull(forge: LocalForge, number: number): Promise<LocalPull> {
  return forge.pulls.change(number, (pull, append) => {
    if (pull.state === 'merged') throw new AoError('PR_NOT_MERGEABLE', `Pull request ${number} is merged already`)
    return pull.state === 'open' ? pull : append(localAuthor(forge.context.env), { type: 'reopened' })
  })
}

export function requireOpen(pull: LocalPull): void {
  if (pull.state === 'open') return
  throw new AoError('PR_NOT_MERGEABLE', `Pull request ${pull.number} is ${pull.state}`, {
    details: { number: pull.number, state: pull.state },
  })
}

function headMoved({ number }: LocalPull, headSha: string, expected: string): AoError {
  return new AoError(
    'PR_HEAD_MOVED',
    `Pull request ${number} was pushed to: its head is ${headSha.slice(0, 10)}, not ${expected.slice(0, 10)} as you saw it`,
    {
      hint: `Look at what was pushed, then review again: ao pr diff ${number}`,
      details: { number, headSha, expected },
    },
  )
}

function record(forge: LocalForge, number: number, event: PullEventBody): Promise<LocalPull> {
  return forge.pulls.change(number, (_, append) => append(localAuthor(forge.context.env), event))
}

function newCommentId(): string {
  return `comment-${randomUUID().slice(0, 8)}`
}
