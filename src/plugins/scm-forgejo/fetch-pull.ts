// A pull request as Forgejo returns it, in our terms.
import type { ProjectConfig } from '../../contract/config.ts'
import type { PullRef, PullState } from '../../contract/pull.ts'
import type { ForgePull } from '../forge-git/merge-exactly.ts'
import { apiPathOf, type ForgejoClient } from '../forgejo-api/forgejo-client.ts'
import { repositoryOf } from '../github-api/repository-name.ts'
import type { ForgejoPull } from './forgejo-data.ts'

/** The path of the API about this pull request. */
export function pullPath(number: number, project: ProjectConfig): string {
  return `${apiPathOf(project)}/pulls/${number}`
}

export async function fetchPull(client: ForgejoClient, number: number, project: ProjectConfig): Promise<ForgePull> {
  const { data: pull } = await client.call<ForgejoPull>(pullPath(number, project))
  return {
    pr: toPrInfo(pull, project),
    state: stateOf(pull),
    headSha: pull.head.sha,
    mergeCommit: pull.merge_commit_sha,
  }
}

export function toPrInfo(pull: ForgejoPull, project: ProjectConfig): PullRef & { number: number } {
  return {
    url: pull.html_url,
    number: pull.number,
    title: pull.title,
    ...repositoryOf(project),
    branch: pull.head.ref,
    ...(pull.head.repo_id !== pull.base.repo_id && { isFork: true }),
    baseBranch: pull.base.ref,
    isDraft: pull.draft ?? false,
  }
}

export function stateOf({ merged, state }: ForgejoPull): PullState {
  return merged ? 'merged' : state
}
