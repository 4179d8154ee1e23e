// Single pull requests over REST, for people's commands; the loop reads in batches.

import type { ProjectConfig } from '../../contract/config.ts'
import type { PullRef, PullState } from '../../contract/pull.ts'
import type { ForgePull } from '../forge-git/merge-exactly.ts'
import type { GithubClient } from '../github-api/github-client.ts'
import { type RepositoryName, repositoryOf } from '../github-api/repository-name.ts'

export interface GithubPull {
  number: number
  node_id: string
  html_url: string
  title: string
  state: string
  draft?: boolean
  merged?: boolean
  merged_at: string | null
  merge_commit_sha: string | null
  head: { ref: string; sha: string; repo: { full_name: string } | null }
  base: { ref: string; repo: { full_name: string } }
}

/** The parameters that every call about a pull request needs. */
export type Target = RepositoryName & { pull_number: number }

export interface FetchedPull extends ForgePull {
  /** GraphQL's id. */
  nodeId: string
}

export async function fetchPull(client: GithubClient, number: number, project: ProjectConfig): Promise<FetchedPull> {
  const name = repositoryOf(project)
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}'
  const pull = await client.rest<GithubPull>(route, { ...name, pull_number: number }, { conditional: true })
  return {
    pr: toPrInfo(pull, name),
    state: pullState(pull),
    headSha: pull.head.sha,
    mergeCommit: pull.merge_commit_sha,
    nodeId: pull.node_id,
  }
}

function pullState({ state, merged, merged_at }: GithubPull): PullState {
  if (merged || merged_at !== null) return 'merged'
  return state === 'closed' ? 'closed' : 'open'
}

export function toPrInfo(pull: GithubPull, { owner, repo }: RepositoryName): PullRef & { number: number } {
  return {
    url: pull.html_url,
    number: pull.number,
    title: pull.title,
    owner,
    repo,
    branch: pull.head.ref,
    ...(pull.head.repo?.full_name !== pull.base.repo.full_name && { isFork: true }),
    baseBranch: pull.base.ref,
    isDraft: pull.draft ?? false,
  }
}
