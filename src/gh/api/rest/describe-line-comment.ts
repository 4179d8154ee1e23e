// Comments on lines in REST responses, each with its part of the diff.
import type { LocalPull } from '../../../forge/pulls/pull-events.ts'
import { numericId } from '../../ids.ts'
import type { Gh } from '../../open-gh.ts'
import { diffHunks } from '../diff-hunks.ts'
import type { LocatedComment } from '../locate-comments.ts'
import { apiUrl, describeUser } from './describe-names.ts'
import { ASSOCIATION } from './describe-pull.ts'

export async function describeLineComments(gh: Gh, pull: LocalPull, comments: readonly LocatedComment[]) {
  const hunkOf = await diffHunks(gh.forge, pull, comments)
  return comments.map((comment) => {
    const id = numericId(comment.id)
    return {
      id,
      node_id: `PRRC_${pull.number}_${comment.id}`,
      pull_request_review_id: comment.reviewId === null ? null : numericId(comment.reviewId),
      in_reply_to_id: comment.inReplyTo === undefined ? undefined : numericId(comment.inReplyTo),
      user: describeUser(comment.author, comment.isBot),
      author_association: ASSOCIATION,
      body: comment.body,
      path: comment.path,
      line: comment.isOutdated ? null : (comment.line ?? null),
      original_line: comment.originalLine ?? null,
      start_line: comment.isOutdated ? null : (comment.startLine ?? null),
      side: 'RIGHT',
      subject_type: comment.originalLine === undefined ? 'file' : 'line',
      diff_hunk: hunkOf(comment),
      commit_id: pull.headSha,
      original_commit_id: comment.commit,
      created_at: comment.createdAt,
      updated_at: comment.updatedAt ?? comment.createdAt,
      html_url: `${pull.url}#discussion_r${id}`,
      url: apiUrl(gh, `pulls/comments/${id}`),
      pull_request_url: apiUrl(gh, `pulls/${pull.number}`),
    }
  })
}
