// Answers in discussions of a merge request, and settling them.
import type { ReviewThreads } from '../../slots/scm.ts'
import type { GitlabClient } from '../gitlab-api/gitlab-client.ts'
import { requestPath } from './fetch-merge-request.ts'

export function gitlabThreads(client: GitlabClient): ReviewThreads {
  const { webUrl } = client
  return {
    async reply(pr, { thread, body }, project) {
      const path = `${requestPath(pr, project, webUrl)}/discussions/${encodeURIComponent(thread)}/notes`
      await client.call(path, { method: 'POST', body: { body } })
    },
    async resolve(pr, { thread, resolved }, project) {
      const path = `${requestPath(pr, project, webUrl)}/discussions/${encodeURIComponent(thread)}`
      await client.call(path, { method: 'PUT', body: { resolved } })
    },
  }
}
