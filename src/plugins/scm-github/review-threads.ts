// Answers in threads, and settling them. GitHub has both in GraphQL only.
import { AoError } from '../../contract/errors.ts'
import type { ReviewThreads } from '../../slots/scm.ts'
import type { GithubClient } from '../github-api/github-client.ts'

const REPLY = `mutation Reply($thread: ID!, $body: String!) {
  addPullRequestReviewThreadReply(input: { pullRequestReviewThreadId: $thread, body: $body }) { comment { id } }
}`
const RESOLVE = `mutation Resolve($thread: ID!) { resolveReviewThread(input: { threadId: $thread }) { thread { id } } }`
const REOPEN = `mutation Reopen($thread: ID!) { unresolveReviewThread(input: { threadId: $thread }) { thread { id } } }`

export function githubThreads(client: GithubClient): ReviewThreads {
  const change = async (what: string, query: string, variables: Record<string, unknown>) => {
    const { errors } = await client.graphql(query, variables)
    if (errors.length === 0) return
    const why = errors.map(({ message }) => message).join('; ')
    throw new AoError('SCM_FAILED', `${what}: ${why}`, {
      hint: 'The token needs write access to pull requests',
      details: { thread: variables.thread },
    })
  }
  return {
    reply: (_pr, { thread, body }) => change('GitHub did not take the reply', REPLY, { thread, body }),
    resolve: (_pr, { thread, resolved }) =>
      change('GitHub did not change the thread', resolved ? RESOLVE : REOPEN, { thread }),
  }
}
