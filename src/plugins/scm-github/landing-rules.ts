// What GitHub says about moving the base branch, and about the checks of a commit that is on a branch of the train.

import type { ProjectConfig } from '../../contract/config.ts'
import type { MergeMethod } from '../../contract/forges.ts'
import type { Check, PullRef } from '../../contract/pull.ts'
import type { LandingRules, NewPR, QueueState } from '../../slots/scm.ts'
import type { GithubClient } from '../github-api/github-client.ts'
import { type RepositoryName, repositoryOf } from '../github-api/repository-name.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import { toCheck } from './check-state.ts'
import { commitContexts } from './read-pages.ts'

interface GithubRepository {
  permissions?: { push?: boolean }
  allow_merge_commit?: boolean
  allow_squash_merge?: boolean
  allow_rebase_merge?: boolean
}

const ALLOWED = { merge: 'allow_merge_commit', squash: 'allow_squash_merge', rebase: 'allow_rebase_merge' } as const

export async function readLandingRules(
  client: GithubClient,
  project: ProjectConfig,
  method: MergeMethod,
): Promise<LandingRules> {
  const name = repositoryOf(project)
  const branch = project.defaultBranch
  const repository = await client.rest<GithubRepository>('GET /repos/{owner}/{repo}', { ...name }, CONDITIONAL)
  const { protected: isProtected = false } = await client.rest<{ protected?: boolean }>(
    'GET /repos/{owner}/{repo}/branches/{branch}',
    { ...name, branch },
    CONDITIONAL,
  )
  const rules = await branchRules(client, name, branch)
  const obstacles = [
    ...(repository.permissions?.push === false ? ['the token may not push'] : []),
    ...(repository[ALLOWED[method]] === false ? [`the repository does not allow the merge method ${method}`] : []),
  ]
  return {
    hasQueue: rules.includes('merge_queue') || (await hasMergeQueue(client, name, branch)),
    isProtected: isProtected || rules.length > 0,
    obstacles,
  }
}

const CONDITIONAL = { conditional: true } as const

/** Types of the rulesets that apply; a server without rulesets has none. */
async function branchRules(client: GithubClient, name: RepositoryName, branch: string): Promise<string[]> {
  try {
    const route = 'GET /repos/{owner}/{repo}/rules/branches/{branch}'
    const rules = await client.rest<Array<{ type: string }> | null>(route, { ...name, branch }, CONDITIONAL)
    return Array.isArray(rules) ? rules.map(({ type }) => type) : []
  } catch (error) {
    if (hasStatus(error, 404, 410)) return []
    throw error
  }
}

const QUEUE = `query ($owner: String!, $repo: String!, $branch: String!) {
  repository(owner: $owner, name: $repo) { mergeQueue(branch: $branch) { id } }
}`

/** One that was switched on in a classic protection rule. */
async function hasMergeQueue(client: GithubClient, name: RepositoryName, branch: string): Promise<boolean> {
  const { data, errors } = await client.graphql(QUEUE, { ...name, branch })
  if (errors.length > 0) return false
  const repository = data?.repository as { mergeQueue?: { id: string } | null } | null | undefined
  return repository?.mergeQueue != null
}

export async function readChecksOf(client: GithubClient, name: RepositoryName, commit: string): Promise<Check[]> {
  return (await commitContexts(client, name, commit)).map(toCheck)
}

const QUEUE_ENTRY = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) {
      mergeQueueEntry { state }
      timelineItems(itemTypes: [REMOVED_FROM_MERGE_QUEUE_EVENT], last: 1) {
        nodes { ... on RemovedFromMergeQueueEvent { createdAt reason } }
      }
    }
  }
}`

interface QueueData {
  mergeQueueEntry: { state: string } | null
  timelineItems: { nodes: Array<{ createdAt?: string; reason?: string | null } | null> | null }
}

/** A server without merge queues does not know these fields, and is not asked: nothing ever boards there. */
export async function readQueue(
  client: GithubClient,
  { owner, repo, pull_number: number }: RepositoryName & { pull_number: number },
  since: string,
): Promise<QueueState> {
  const { data, errors } = await client.graphql(QUEUE_ENTRY, { owner, repo, number }, { loop: true })
  const pull = (data?.repository as { pullRequest?: QueueData | null } | null | undefined)?.pullRequest
  if (errors.length > 0 || !pull) throw new Error(errors.map(({ message }) => message).join('; ') || 'it is not there')
  if (pull.mergeQueueEntry !== null) return { state: 'queued' }
  const last = pull.timelineItems.nodes?.at(-1)
  if (last?.createdAt === undefined || Date.parse(last.createdAt) < Date.parse(since)) return { state: 'none' }
  const why = (last.reason ?? '').replaceAll('_', ' ') || 'no reason is given'
  return { state: 'removed', why: `removed from the merge queue: ${why}` }
}

/** A closed one is not opened again. */
export async function openPull(client: GithubClient, request: NewPR, project: ProjectConfig): Promise<PullRef | null> {
  const name = repositoryOf(project)
  const { branch, title, body } = request
  const earlier = await client.rest<unknown[]>('GET /repos/{owner}/{repo}/pulls', {
    ...name,
    head: `${name.owner}:${branch}`,
    state: 'all',
  })
  if (earlier.length > 0) return null
  try {
    const base = project.defaultBranch
    const made = await client.rest<{ number: number; html_url: string }>('POST /repos/{owner}/{repo}/pulls', {
      ...name,
      title,
      body,
      head: branch,
      base,
    })
    return { url: made.html_url, number: made.number, title, branch, baseBranch: base, ...name }
  } catch (error) {
    // Another one came first.
    if (hasStatus(error, 422) && /already exists/i.test(error.reason)) return null
    throw error
  }
}
