// What did not fit on the first page, and the checks of base branches. Bounded; more pages than that are an error.
import type { Check } from '../../contract/pull.ts'
import type { GithubClient } from '../github-api/github-client.ts'
import type { RepositoryName } from '../github-api/repository-name.ts'
import { toCheck } from './check-state.ts'
import {
  type BaseData,
  type CommitData,
  type ContextData,
  nonNull,
  type Page,
  type PullRequestData,
  type ThreadData,
} from './pull-request-data.ts'
import { COMMIT_QUERY, CONTEXTS_QUERY, pullRequestsQuery, THREADS_QUERY } from './pull-request-query.ts'

/** Names of failing checks, by base branch. */
export type BaseChecks = Map<string, Set<string>>

const MAX_PAGES = 20
const BASES_AT_ONCE = 10

export async function allContexts(
  client: GithubClient,
  name: RepositoryName,
  commit: CommitData | null,
): Promise<ContextData[]> {
  const first = commit?.statusCheckRollup?.contexts
  if (commit === null || first === undefined) return []
  return allPages(first, async (after) => {
    const repository = await ask(client, CONTEXTS_QUERY, { ...name, oid: commit.oid, after })
    return (repository.object as CommitData | null)?.statusCheckRollup?.contexts
  })
}

/** Of a commit that need not be the head of anything. Empty: GitHub knows none, or not the commit. */
export async function commitContexts(client: GithubClient, name: RepositoryName, oid: string): Promise<ContextData[]> {
  const { object } = await ask(client, COMMIT_QUERY, { ...name, oid })
  return allContexts(client, name, object as CommitData | null)
}

export async function allThreads(
  client: GithubClient,
  name: RepositoryName,
  data: PullRequestData,
): Promise<ThreadData[]> {
  return allPages(data.reviewThreads, async (after) => {
    const repository = await ask(client, THREADS_QUERY, { ...name, number: data.number, after })
    return (repository.pullRequest as PullRequestData | null)?.reviewThreads
  })
}

/** Reads the tips still unknown: pull requests rarely target anything but the default branch. */
export async function readBases(
  { client, name, bases }: { client: GithubClient; name: RepositoryName; bases: BaseChecks },
  wanted: ReadonlySet<string>,
): Promise<void> {
  const missing = [...wanted].filter((branch) => !bases.has(branch))
  for (let at = 0; at < missing.length; at += BASES_AT_ONCE) {
    const chunk = missing.slice(at, at + BASES_AT_ONCE)
    const { query, variables } = pullRequestsQuery([], chunk)
    try {
      const repository = await ask(client, query, { ...name, ...variables })
      for (const [index, branch] of chunk.entries()) {
        bases.set(branch, failingNames(repository[`b${index}`] as BaseData | null))
      }
    } catch {
      // A base whose checks are unreadable excuses nothing, and does not affect what was read.
      return
    }
  }
}

/** The newest result of each check counts: a tip that was just pushed has none yet, and excuses nothing. */
export function failingNames(base: BaseData | null | undefined): Set<string> {
  const results = new Map<string, Check['status']>()
  for (const commit of nonNull(base?.target?.history?.nodes)) {
    const finished = nonNull(commit.statusCheckRollup?.contexts.nodes)
      .map(toCheck)
      .filter(({ status }) => status === 'passed' || status === 'failed')
    for (const { name, status } of finished) if (!results.has(name)) results.set(name, status)
  }
  return new Set([...results].filter(([, status]) => status === 'failed').map(([name]) => name))
}

async function allPages<T>(first: Page<T>, next: (after: string) => Promise<Page<T> | null | undefined>): Promise<T[]> {
  const all = nonNull(first.nodes)
  let { hasNextPage, endCursor } = first.pageInfo
  for (let page = 1; hasNextPage && endCursor !== null; page += 1) {
    if (page >= MAX_PAGES) throw new Error(`more than ${MAX_PAGES} pages of an answer`)
    const more = await next(endCursor)
    if (!more) throw new Error('a page of the answer is missing')
    all.push(...nonNull(more.nodes))
    ;({ hasNextPage, endCursor } = more.pageInfo)
  }
  return all
}

async function ask(
  client: GithubClient,
  query: string,
  variables: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { data, errors } = await client.graphql(query, variables, { loop: true })
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('; '))
  const repository = data?.repository as Record<string, unknown> | null | undefined
  if (!repository) throw new Error('GitHub knows no such repository')
  return repository
}
