// Sends one query and sorts its response by target. An error that names a target affects only that target; any other
// affects all.
import { type GithubClient, type GraphqlError, whyUnknown } from '../github-api/github-client.ts'
import type { RepositoryName } from '../github-api/repository-name.ts'
import { HttpApiError } from '../http-api/http-api-error.ts'
import type { ChunkSize } from './chunk-size.ts'
import type { BaseData } from './pull-request-data.ts'
import { pullRequestsQuery, type Target } from './pull-request-query.ts'
import { type BaseChecks, failingNames } from './read-pages.ts'

export type TargetReading =
  | { kind: 'read'; data: unknown }
  /** What a branch found. */
  | { kind: 'found'; data: unknown }
  | { kind: 'unknown'; why: string }

export async function readTargets(
  { client, name, bases, chunk }: { client: GithubClient; name: RepositoryName; bases: BaseChecks; chunk: ChunkSize },
  targets: readonly Target[],
  baseBranches: readonly string[],
): Promise<TargetReading[]> {
  const { query, variables } = pullRequestsQuery(targets, baseBranches)
  let answer: Awaited<ReturnType<GithubClient['graphql']>>
  try {
    answer = await client.graphql(query, { ...name, ...variables }, { loop: true })
  } catch (error) {
    if (wasTooMuch(error)) chunk.shrink()
    const why = whyUnknown(error)
    return targets.map(() => ({ kind: 'unknown', why }))
  }
  const { errors } = answer
  // Some of these come with a 200: nothing was answered, and no target is to blame.
  if (answer.data === null) chunk.shrink()
  else chunk.grow()
  const repository = (answer.data?.repository ?? null) as Record<string, unknown> | null
  for (const [index, branch] of baseBranches.entries()) {
    if (errorsAt(errors, `b${index}`).length > 0) continue
    if (repository !== null) bases.set(branch, failingNames(repository[`b${index}`] as BaseData | null))
  }
  return targets.map((target, index) => {
    const data = repository?.[`t${index}`] ?? null
    const own = [...errorsAt(errors, `t${index}`), ...(repository === null ? errors : [])]
    const isBranch = 'branch' in target
    const isMissing = repository === null || (data === null && !isBranch)
    if (own.length > 0 || isMissing) return { kind: 'unknown', why: whyNot(target, own, name) }
    return { kind: isBranch ? 'found' : 'read', data }
  })
}

/** No response in time, or a gateway that gave up waiting for one. */
function wasTooMuch(error: unknown): boolean {
  if (!(error instanceof HttpApiError) || error.code === 'RATE_LIMITED') return false
  return error.status === null || [502, 503, 504].includes(error.status)
}

/** Errors below this alias, and those that name no path at all. */
function errorsAt(errors: readonly GraphqlError[], alias: string): GraphqlError[] {
  return errors.filter(({ path }) => path === undefined || path.length < 2 || path[1] === alias)
}

function whyNot(target: Target, errors: readonly GraphqlError[], name: RepositoryName): string {
  const what = 'number' in target ? `pull request #${target.number}` : `the branch ${target.branch}`
  const message = errors.map(({ message }) => message).join('; ') || 'GitHub gave no answer for it'
  return `${what} of ${name.owner}/${name.repo} could not be read: ${message}`.slice(0, 500)
}
