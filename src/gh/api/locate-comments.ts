// Comments on lines with their current position, and the commit that they were written for.
import { observePull } from '../../forge/pulls/observe-pulls.ts'
import type { LocalPull } from '../../forge/pulls/pull-events.ts'
import type { LocalForge } from '../../forge/types.ts'
import { locateComments as locateInPull } from '../../manager/pulls/locate-comments.ts'
import { toSnapshot } from '../../plugins/scm-local/to-snapshot.ts'

export type LocatedComment = LocalPull['comments'][number] & {
  path: string
  /** The line has changed since. */
  isOutdated: boolean
  originalLine: number | undefined
  commit: string
}

export async function locateComments(forge: LocalForge, pull: LocalPull): Promise<LocatedComment[]> {
  const onLines = pull.comments.filter(({ path }) => path !== undefined)
  if (onLines.length === 0) return []
  const snapshot = toSnapshot(forge, await observePull(forge, pull))
  const placed = new Map((await locateInPull(forge.repository, snapshot)).map((one) => [one.id, one]))
  return onLines.map((comment) => {
    const { path, startLine, line, isOutdated = false, commit = pull.headSha } = placed.get(comment.id)!
    return { ...comment, path: path ?? comment.path!, startLine, line, isOutdated, originalLine: comment.line, commit }
  })
}
