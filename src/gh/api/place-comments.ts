// Comments on lines with their current position, and the commit that they were written for.
import { placeRemarks } from '../../dashboard/pulls/pull-remark-places.ts'
import { localRemark } from '../../dashboard/pulls/pull-rows.ts'
import { observePull } from '../../forge/pulls/observe-pulls.ts'
import type { LocalPull } from '../../forge/pulls/pull-events.ts'
import type { LocalForge } from '../../forge/types.ts'

export type PlacedComment = LocalPull['comments'][number] & {
  path: string
  /** The line has changed since. */
  isOutdated: boolean
  originalLine: number | undefined
  commit: string
}

export async function placeComments(forge: LocalForge, pull: LocalPull): Promise<PlacedComment[]> {
  const onLines = pull.comments.filter(({ path }) => path !== undefined)
  if (onLines.length === 0) return []
  const placed = await placeRemarks(forge, await observePull(forge, pull), onLines.map(localRemark))
  return onLines.map((comment, index) => {
    const { path, startLine, line, isOutdated } = placed[index]!
    return {
      ...comment,
      path: path ?? comment.path!,
      startLine: startLine ?? undefined,
      line: line ?? undefined,
      isOutdated,
      originalLine: comment.line,
      commit: commitOf(pull, comment),
    }
  })
}

function commitOf(pull: LocalPull, { reviewId, createdAt }: LocalPull['comments'][number]): string {
  const review = pull.reviews.find(({ id }) => id === reviewId)
  return review?.commit ?? pull.heads.findLast(({ at }) => at <= createdAt)?.sha ?? pull.headSha
}
