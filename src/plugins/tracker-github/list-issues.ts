// Issues by state, label and assignee. Pull requests, which GitHub lists among them, are left out.
import type { Issue, IssueFilter } from '../../slots/tracker.ts'
import type { GithubClient } from '../github-api/github-client.ts'
import type { RepositoryName } from '../github-api/repository-name.ts'
import { type GithubIssue, toIssue } from './github-issue.ts'

const DEFAULT_LIMIT = 30
/** Even a repository that is mostly pull requests ends here. */
const MAX_PAGES = 20

export async function listIssues(client: GithubClient, name: RepositoryName, filter: IssueFilter): Promise<Issue[]> {
  const limit = filter.limit ?? DEFAULT_LIMIT
  // Pages of one size, or the second one would begin at the wrong place.
  const perPage = Math.min(Math.max(limit, 30), 100)
  const found: Issue[] = []
  for (let page = 1; page <= MAX_PAGES && found.length < limit; page += 1) {
    const issues = await client.rest<GithubIssue[]>(
      'GET /repos/{owner}/{repo}/issues',
      {
        ...name,
        state: filter.state ?? 'open',
        labels: filter.labels?.length ? filter.labels.join(',') : undefined,
        assignee: filter.assignee,
        per_page: perPage,
        page,
      },
      { conditional: true },
    )
    found.push(...issues.filter((issue) => issue.pull_request === undefined).map(toIssue))
    if (issues.length < perPage) break
  }
  return found.slice(0, limit)
}
