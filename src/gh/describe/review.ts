// Reviews, threads and comments of a pull request. Comments on lines are where those lines are now, each with its part of the diff.
import type { Pull, Review, ReviewComment } from '../../contract/pull.ts'
import type { LocalForge } from '../../forge/types.ts'
import { mergeBase } from '../../git/merge-memory.ts'
import { tryGitOn } from '../../git/repository.ts'
import { locateComments } from '../../manager/pulls/locate-comments.ts'
import { numericId } from '../ids.ts'
import type { Gh } from '../open-gh.ts'
import { ASSOCIATION, describeSha, describeUser } from './names.ts'
import { connection, field, type Node, unresolved } from './node.ts'

export interface LineComment extends ReviewComment {
  path: string
  /** The line it was written for. */
  originalLine: number | undefined
  commit: string
  /** The hunk that it is about, up to its line; '' when its commit is gone. */
  hunk(): Promise<string>
}

/** The comments on lines. */
export async function lineComments({ forge }: Gh, pull: Pull): Promise<LineComment[]> {
  const written = pull.comments.filter(({ path }) => path !== undefined)
  const placed = await locateComments(forge.repository, { headSha: pull.headSha, comments: written })
  const diffs = new Map<string, Promise<string>>()
  return placed.map((comment, index) => {
    const { path, line: originalLine, commit = pull.headSha } = written[index]!
    const hunk = async () => {
      if (originalLine === undefined) return ''
      const key = `${commit}\0${path}`
      if (!diffs.has(key)) diffs.set(key, diffOf(forge, pull, commit, path!))
      return hunkUpTo(await diffs.get(key)!, originalLine)
    }
    return { ...comment, path: comment.path ?? path!, originalLine, commit, hunk }
  })
}

/** '' when the commit is gone: a comment is shown without its hunk rather than not at all. */
async function diffOf(forge: LocalForge, { pr, mergeCommit }: Pull, commit: string, path: string): Promise<string> {
  const base = mergeCommit ? `${mergeCommit}^` : `refs/heads/${pr.baseBranch}`
  const from = (await mergeBase(forge.memory, forge.repository(), { head: commit, base })) ?? base
  const format = ['--no-color', '--no-ext-diff', '--no-textconv', '--unified=3']
  const args = ['diff', ...format, from, commit, '--', `:(literal)${path}`]
  const result = await tryGitOn(forge.repository(), args, { read: true })
  return result.ok ? result.stdout : ''
}

function hunkUpTo(diff: string, line: number): string {
  for (const hunk of diff.split(/^(?=@@ )/m).slice(1)) {
    const [head = '', ...lines] = hunk.replace(/\n$/, '').split('\n')
    const [, start = '0', count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(head) ?? []
    if (line < Number(start) || line >= Number(start) + Number(count)) continue
    let at = Number(start) - 1
    const end = lines.findIndex((one) => {
      if (!one.startsWith('-') && !one.startsWith('\\')) at++
      return at === line && !one.startsWith('-')
    })
    return [head, ...lines.slice(0, end + 1)].join('\n')
  }
  return ''
}

/** Comments that are on no line. */
export function conversationOf({ comments }: Pull): ReviewComment[] {
  return comments.filter(({ path }) => path === undefined)
}

export function describeReview(gh: Gh, pull: Pull, review: Review): Node {
  const databaseId = numericId(review.id)
  return {
    __typename: 'PullRequestReview',
    id: `PRR_${pull.pr.number}_${review.id}`,
    databaseId,
    localId: review.id,
    author: describeUser(review.author.login, review.author.isBot),
    authorAssociation: ASSOCIATION,
    body: review.body,
    bodyText: review.body,
    state: review.state.toUpperCase(),
    submittedAt: review.submittedAt,
    createdAt: review.submittedAt,
    updatedAt: review.submittedAt,
    url: `${pull.pr.url}#pullrequestreview-${databaseId}`,
    commit: describeSha(gh, review.commit ?? ''),
    pullRequest: nameOf(pull),
    comments: connection(
      async () => (await lineComments(gh, pull)).filter(({ reviewId }) => reviewId === review.id),
      (comment) => describeLineComment(gh, pull, comment),
    ),
  }
}

/** A thread is a comment on a line and the replies to it. */
export function describeThreads(gh: Gh, pull: Pull) {
  return connection(
    async () => {
      const comments = await lineComments(gh, pull)
      return comments.filter(({ isReply }) => !isReply).map((root) => ({ root, comments }))
    },
    ({ root, comments }) => describeThread(gh, pull, root, comments),
  )
}

export async function findThread(gh: Gh, pull: Pull, id: string): Promise<Node> {
  const comments = await lineComments(gh, pull)
  const root = comments.find((one) => one.id === id && !one.isReply)
  if (!root) throw unresolved(`a node with the global id of 'PRRT_${pull.pr.number}_${id}'`)
  return describeThread(gh, pull, root, comments)
}

function describeThread(gh: Gh, pull: Pull, root: LineComment, all: readonly LineComment[]): Node {
  return {
    __typename: 'PullRequestReviewThread',
    id: `PRRT_${pull.pr.number}_${root.id}`,
    isResolved: root.isResolved,
    resolvedBy: root.resolvedBy === undefined ? null : describeUser(root.resolvedBy),
    isOutdated: root.isOutdated ?? false,
    isCollapsed: root.isResolved,
    path: root.path,
    ...linesOf(root),
    originalStartLine: null,
    diffSide: 'RIGHT',
    startDiffSide: null,
    viewerCanReply: true,
    viewerCanResolve: !root.isResolved,
    viewerCanUnresolve: root.isResolved,
    pullRequest: nameOf(pull),
    comments: connection(
      () => all.filter((one) => one.thread === root.id),
      (comment) => describeLineComment(gh, pull, comment),
    ),
  }
}

export function describeLineComment(gh: Gh, pull: Pull, comment: LineComment): Node {
  const { number, url } = pull.pr
  const { id, reviewId, isReply, thread = id } = comment
  return {
    __typename: 'PullRequestReviewComment',
    ...textFields(comment, `${url}#discussion_r${numericId(id)}`),
    id: `PRRC_${number}_${id}`,
    path: comment.path,
    ...linesOf(comment),
    outdated: comment.isOutdated ?? false,
    state: 'SUBMITTED',
    commit: describeSha(gh, pull.headSha),
    originalCommit: describeSha(gh, comment.commit),
    diffHunk: field([], comment.hunk),
    pullRequest: nameOf(pull),
    replyTo: isReply
      ? { __typename: 'PullRequestReviewComment', id: `PRRC_${number}_${thread}`, databaseId: numericId(thread) }
      : null,
    pullRequestReview:
      reviewId === null
        ? null
        : { __typename: 'PullRequestReview', id: `PRR_${number}_${reviewId}`, databaseId: numericId(reviewId) },
  }
}

function linesOf({ isOutdated, line, startLine, originalLine }: LineComment): Node {
  return {
    line: isOutdated ? null : (line ?? null),
    originalLine: originalLine ?? null,
    startLine: isOutdated ? null : (startLine ?? null),
    subjectType: originalLine === undefined ? 'FILE' : 'LINE',
  }
}

/** A comment in the conversation, not on a line. */
export function describeComment(pull: Pull, comment: ReviewComment): Node {
  return {
    __typename: 'IssueComment',
    ...textFields(comment, `${pull.pr.url}#issuecomment-${numericId(comment.id)}`),
    id: `IC_PR${pull.pr.number}_${comment.id}`,
    pullRequest: nameOf(pull),
  }
}

function nameOf({ pr }: Pull): Node {
  return { __typename: 'PullRequest', id: `PR_${pr.number}`, number: pr.number, title: pr.title ?? '', url: pr.url }
}

function textFields({ id, author, body, createdAt, updatedAt }: ReviewComment, url: string): Node {
  return {
    databaseId: numericId(id),
    fullDatabaseId: numericId(id),
    localId: id,
    author: describeUser(author.login, author.isBot),
    authorAssociation: ASSOCIATION,
    body,
    bodyText: body,
    createdAt,
    publishedAt: createdAt,
    updatedAt: updatedAt ?? createdAt,
    isMinimized: false,
    minimizedReason: null,
    url,
  }
}
