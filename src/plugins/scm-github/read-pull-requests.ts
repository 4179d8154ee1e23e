// All pull requests of a project's sessions in one query for each 25 of them. A failure for one does not affect the others.
import type { ProjectConfig } from '../../contract/config.ts'
import { isSafeBranch } from '../../core/session/name-branch.ts'
import type { PrQuery, PrReading } from '../../slots/scm.ts'
import { ownNumber, type PullNames } from '../forge-git/pull-names.ts'
import { type GithubClient, type GraphqlError, whyUnknown } from '../github-api/github-client.ts'
import { type RepositoryName, repositoryOf } from '../github-api/repository-name.ts'
import { HttpApiError } from '../http-api/http-api-error.ts'
import type { ChunkSize } from './chunk-size.ts'
import type { BaseData, FoundData, PullRequestData } from './pull-request-data.ts'
import { nonNull } from './pull-request-data.ts'
import type { Target } from './pull-request-query.ts'
import { pullRequestsQuery } from './pull-request-query.ts'
import { allContexts, allThreads, type BaseChecks, failingNames, readBases } from './read-pages.ts'
import { toSnapshot } from './to-snapshot.ts'

export interface ReadRequest {
  client: GithubClient
  names: PullNames
  queries: readonly PrQuery[]
  project: ProjectConfig
  chunk: ChunkSize
}

export async function readPullRequests(request: ReadRequest): Promise<Map<string, PrReading>> {
  try {
    return await readAll(request)
  } catch (error) {
    const why = whyUnknown(error)
    return new Map(request.queries.map(({ sessionId }) => [sessionId, { kind: 'unknown', why }]))
  }
}

async function readAll({ client, names, queries, project, chunk }: ReadRequest): Promise<Map<string, PrReading>> {
  const name = repositoryOf(project)
  const readings = new Map<string, PrReading>()
  const wanted = new Map<string, Target>()
  for (const query of queries) {
    const plan = planReading(query, names, project)
    if ('kind' in plan) readings.set(query.sessionId, plan)
    else wanted.set(query.sessionId, plan)
  }
  const bases: BaseChecks = new Map()
  const reader = { client, name, bases, chunk }
  const first = await readInChunks(reader, unique(wanted.values()), [project.defaultBranch])
  const found = unique([...first.values()].flatMap((reading) => foundNumber(reading)))
  const second = await readInChunks(
    reader,
    found.filter((target) => !first.has(keyOf(target))),
    [],
  )
  const targets = new Map([...first, ...second])
  const snapshots = await snapshotAll(reader, targets)
  for (const [sessionId, target] of wanted) readings.set(sessionId, readingOf(target, targets, snapshots))
  return readings
}

/** What to request for this session, or what is known without a request. */
function planReading(query: PrQuery, names: PullNames, project: ProjectConfig): Target | PrReading {
  if (query.pr !== null) {
    const number = ownNumber(names, query.pr, project)
    if (number !== null) return { number }
    return { kind: 'unknown', why: `${query.pr.url} is not a pull request of ${names.repoOf(project)}` }
  }
  if (query.branch === null || !isSafeBranch(query.branch)) return { kind: 'none' }
  return { branch: query.branch }
}

interface Reader {
  client: GithubClient
  name: RepositoryName
  bases: BaseChecks
  chunk: ChunkSize
}

async function readInChunks(
  reader: Reader,
  targets: readonly Target[],
  bases: readonly string[],
): Promise<Map<string, TargetReading>> {
  const readings = new Map<string, TargetReading>()
  const left = [...targets]
  while (left.length > 0) {
    const chunk = left.splice(0, reader.chunk.size())
    const answered = await readTargets(reader, chunk, readings.size === 0 ? bases : [])
    for (const [index, target] of chunk.entries()) readings.set(keyOf(target), answered[index]!)
  }
  return readings
}

/** A pull request from a fork may have any branch name: only the repository's own branch is a session's. */
function foundNumber(reading: TargetReading): Target[] {
  if (reading.kind !== 'found') return []
  const { nodes } = (reading.data as FoundData)?.associatedPullRequests ?? { nodes: [] }
  const own = nonNull(nodes).find(({ isCrossRepository }) => !isCrossRepository)
  return own ? [{ number: own.number }] : []
}

async function snapshotAll(reader: Reader, targets: Map<string, TargetReading>): Promise<Map<string, PrReading>> {
  const read = [...targets].flatMap(([key, reading]) =>
    reading.kind === 'read' ? [{ key, data: reading.data as PullRequestData }] : [],
  )
  await readBases(reader, new Set(read.map(({ data }) => data.baseRefName)))
  const snapshots = new Map<string, PrReading>()
  for (const { key, data } of read) snapshots.set(key, await snapshotOne(reader, data))
  return snapshots
}

async function snapshotOne({ client, name, bases }: Reader, data: PullRequestData): Promise<PrReading> {
  try {
    const contexts = await allContexts(client, name, nonNull(data.commits.nodes)[0]?.commit ?? null)
    const threads = await allThreads(client, name, data)
    const failingAtBase = bases.get(data.baseRefName) ?? new Set<string>()
    return { kind: 'read', snapshot: toSnapshot({ data, name, contexts, threads, failingAtBase }) }
  } catch (error) {
    return { kind: 'unknown', why: whyUnknown(error) }
  }
}

function readingOf(target: Target, targets: Map<string, TargetReading>, snapshots: Map<string, PrReading>): PrReading {
  const reading = targets.get(keyOf(target))!
  if (reading.kind === 'unknown') return reading
  if (reading.kind === 'read') return snapshots.get(keyOf(target))!
  const [own] = foundNumber(reading)
  return own === undefined ? { kind: 'none' } : readingOf(own, targets, snapshots)
}

function keyOf(target: Target): string {
  return 'number' in target ? `#${target.number}` : target.branch
}

function unique(targets: Iterable<Target>): Target[] {
  return [...new Map([...targets].map((target) => [keyOf(target), target])).values()]
}

type TargetReading =
  | { kind: 'read'; data: unknown }
  /** What a branch found. */
  | { kind: 'found'; data: unknown }
  | { kind: 'unknown'; why: string }

/** Sorts the response to one query by target. An error that names a target affects only that target; any other affects all. */
async function readTargets(
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
