// All pull requests of a project's sessions.

import type { ProjectConfig } from '../../contract/config.ts'
import type { Pull } from '../../contract/pull.ts'
import { sleep } from '../../lib/clock.ts'
import type { PrQuery, PrReading } from '../../slots/scm.ts'
import { ownNumber, type PullNames } from '../forge-git/pull-names.ts'
import { apiPathOf, type ForgejoClient } from '../forgejo-api/forgejo-client.ts'
import type { AuthorOf } from '../forgejo-api/people.ts'
import { readQueries } from '../http-api/read-queries.ts'
import { stateOf, toPrInfo } from './fetch-pull.ts'
import type { ForgejoPull } from './forgejo-data.ts'
import { readChecks, summarize } from './read-checks.ts'
import { readReviews } from './read-reviews.ts'

export interface Reader {
  client: ForgejoClient
  project: ProjectConfig
  names: PullNames
  authorOf: AuthorOf
  /** Heads and bases that are known to conflict, from all ticks. */
  conflicts: Set<string>
}

export function readPulls(reader: Reader, queries: readonly PrQuery[]): Promise<Map<string, PrReading>> {
  const { client, project, names } = reader
  return readQueries<ForgejoPull>(queries, () => ({
    async listOpen() {
      const open = await client.list<ForgejoPull>(`${apiPathOf(project)}/pulls?state=open`, { loop: true })
      const own = open.filter(({ head, base }) => head.repo_id === base.repo_id)
      return own.sort((a, b) => a.number - b.number).map((pull) => ({ branch: pull.head.ref, pull }))
    },
    numberOf: ({ number }) => number,
    numberIn: (pr) => ownNumber(names, pr, project),
    read: (number) => readSnapshot(reader, number),
    kind: `pull request of ${project.repo}`,
  }))
}

async function readSnapshot(reader: Reader, number: number): Promise<Pull> {
  const { client, project, authorOf } = reader
  const apiPath = apiPathOf(project)
  const pull = await readSettled(reader, `${apiPath}/pulls/${number}`)
  const checks = await readChecks(client, apiPath, pull.head.sha)
  const failed = checks.filter(({ status }) => status === 'failed').map(({ name }) => name)
  const atBase = failed.length > 0 ? await readChecks(client, apiPath, pull.base.ref) : []
  const failingAtBase = new Set(atBase.filter(({ status }) => status === 'failed').map(({ name }) => name))
  const isOpen = stateOf(pull) === 'open'
  return {
    pr: toPrInfo(pull, project),
    state: stateOf(pull),
    headSha: pull.head.sha,
    ci: summarize(checks),
    checks,
    ...(await readReviews({ client, apiPath, authorOf }, pull)),
    // A draft is never mergeable, which says nothing about conflicts.
    hasConflicts: pull.mergeable ? false : isOpen && !pull.draft ? true : null,
    mergeable: isOpen && !pull.draft && pull.mergeable,
    labels: (pull.labels ?? []).map(({ name }) => name),
    failingOnBase: failed.filter((name) => failingAtBase.has(name)),
    assignees: (pull.assignees ?? []).map(({ login }) => login),
    reviewers: (pull.requested_reviewers ?? []).map(({ login }) => login),
    body: pull.body ?? '',
    author: pull.user?.login ?? null,
    createdAt: pull.created_at,
    updatedAt: pull.updated_at,
    closedAt: pull.merged_at ?? pull.closed_at,
    mergeCommit: pull.merged ? pull.merge_commit_sha : null,
  }
}

const SETTLE_MS = [500, 1_500]

/** After a push it takes a moment until Forgejo knows, and until then it reports the same as for a conflict. */
async function readSettled({ client, conflicts }: Reader, path: string): Promise<ForgejoPull> {
  const ask = async () => (await client.call<ForgejoPull>(path, { loop: true })).data
  let pull = await ask()
  for (const wait of SETTLE_MS) {
    if (pull.mergeable || pull.draft || stateOf(pull) !== 'open' || conflicts.has(keyOf(pull))) return pull
    await sleep(wait)
    pull = await ask()
  }
  if (!pull.mergeable) conflicts.add(keyOf(pull))
  return pull
}

function keyOf({ html_url, head, base }: ForgejoPull): string {
  return `${html_url} ${head.sha} ${base.sha}`
}
