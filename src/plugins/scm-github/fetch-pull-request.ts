// Single pull requests over REST, for people's commands; the loop reads in batches.

import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { PullRef, PullState } from '../../contract/pull.ts'
import type { GithubClient } from '../github-api/github-client.ts'
import { isSameRepository, parseReference, type RepositoryName, repositoryOf } from '../github-api/repository-name.ts'
import { hasStatus } from '../http-api/http-api-error.ts'

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

export async function fetchPull(
  client: GithubClient,
  target: RepositoryName & { pull_number: number },
): Promise<GithubPull> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}'
  try {
    return await client.rest<GithubPull>(route, { ...target }, { conditional: true })
  } catch (error) {
    if (!hasStatus(error, 404, 410)) throw error
    const repository = `${target.owner}/${target.repo}`
    throw new AoError('SCM_FAILED', `There is no pull request #${target.pull_number} in ${repository}`, {
      hint: 'If it is there, the token may not see it; check with: gh auth status',
      details: { number: target.pull_number, repo: repository, status: 404 },
      cause: error,
    })
  }
}

/** A number, `#n`, `owner/name#n` or a URL, of this project's repository. */
export async function resolvePull(client: GithubClient, reference: string, project: ProjectConfig): Promise<PullRef> {
  const name = repositoryOf(project)
  const parsed = parseReference(reference, 'pull', client.connection.webUrl)
  if (parsed === null) {
    throw new AoError('USAGE', `${JSON.stringify(reference)} names no pull request`, {
      hint: 'Give its number, #number or URL',
    })
  }
  if (!isSameRepository(parsed, name)) {
    throw new AoError('USAGE', `${reference} is not a pull request of ${name.owner}/${name.repo}`, {
      hint: `Project ${project.id} works on ${name.owner}/${name.repo} only`,
    })
  }
  return toPrInfo(await fetchPull(client, { ...name, pull_number: parsed.number }), name)
}

export function pullState({ state, merged, merged_at }: GithubPull): PullState {
  if (merged || merged_at !== null) return 'merged'
  return state === 'closed' ? 'closed' : 'open'
}

export function toPrInfo(pull: GithubPull, { owner, repo }: RepositoryName): PullRef {
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
