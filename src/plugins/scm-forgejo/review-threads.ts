// Answers in conversations on lines. Forgejo adds a comment to the review at the same line; Gitea has a route of its own for it.
// Settling a conversation has a route in Gitea only: Forgejo does it on its own page.
import { AoError } from '../../contract/errors.ts'
import type { ReviewThreads } from '../../slots/scm.ts'
import { apiPathOf, type ForgejoClient } from '../forgejo-api/forgejo-client.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import { pullPath } from './fetch-pull.ts'
import type { ForgejoReviewComment } from './forgejo-data.ts'

export function forgejoThreads(client: ForgejoClient): ReviewThreads {
  return {
    async reply(pr, { thread, body }, project) {
      const { review, comment } = parseThread(thread)
      const pull = pullPath(pr, project, client.webUrl)
      const comments = `${pull}/reviews/${review}/comments`
      const { data } = await client.call<ForgejoReviewComment[] | null>(comments)
      const first = (data ?? []).find(({ id }) => id === comment)
      if (first === undefined) throw unknownThread(thread)
      try {
        const position = { path: first.path, new_position: first.position || first.original_position || 0 }
        await client.call(comments, { method: 'POST', body: { ...position, body } })
      } catch (error) {
        if (!hasStatus(error, 404, 405)) throw error
        await client.call(`${pull}/comments/${comment}/replies`, { method: 'POST', body: { body } })
      }
    },
    async resolve(pr, { thread, resolved }, project) {
      const { comment } = parseThread(thread)
      const path = `${apiPathOf(project)}/pulls/comments/${comment}/${resolved ? 'resolve' : 'unresolve'}`
      try {
        await client.call(path, { method: 'POST' })
      } catch (error) {
        if (!hasStatus(error, 404, 405)) throw error
        throw new AoError('SCM_FAILED', 'This Forgejo cannot settle conversations from outside', {
          hint: `Do it on its own page: ${pr.url}/files`,
          cause: error,
        })
      }
    },
  }
}

/** `<review>-<first comment>`, as read-reviews.ts names it. */
function parseThread(thread: string): { review: number; comment: number } {
  const [, review, comment] = /^([0-9]+)-([0-9]+)$/.exec(thread) ?? []
  if (comment === undefined) throw unknownThread(thread)
  return { review: Number(review), comment: Number(comment) }
}

function unknownThread(thread: string): AoError {
  return new AoError('USAGE', `There is no thread ${thread}`)
}
