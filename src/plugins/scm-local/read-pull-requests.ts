// The pull requests of many sessions at one moment, as the loop needs them. Never throws.

import { errorText } from '../../contract/errors.ts'
import type { Pull } from '../../contract/pull.ts'
import { findOpenByBranch, pullNumber } from '../../forge/pulls/find-pull.ts'
import { observePulls, type PullView } from '../../forge/pulls/observe-pulls.ts'
import type { LocalPull } from '../../forge/pulls/pull-events.ts'
import type { LocalForge } from '../../forge/types.ts'
import type { PrFilter, PrQuery, PrReading } from '../../slots/scm.ts'
import { toSnapshot } from './to-snapshot.ts'

export async function readPullRequests(forge: LocalForge, queries: PrQuery[]): Promise<Map<string, PrReading>> {
  try {
    const all = forge.pulls.list()
    const wanted = new Map(queries.map((query) => [query.sessionId, findWanted(forge, all, query)]))
    const pulls = [...new Set([...wanted.values()].filter((pull) => pull !== null))]
    const views = new Map((await observePulls(forge, pulls)).map((view) => [view.pull.number, view]))
    return new Map(queries.map(({ sessionId }) => [sessionId, reading(forge, views, wanted.get(sessionId) ?? null)]))
  } catch (error) {
    const why = errorText(error)
    return new Map(queries.map(({ sessionId }) => [sessionId, { kind: 'unknown', why }]))
  }
}

function findWanted(forge: LocalForge, all: LocalPull[], { branch, pr }: PrQuery): LocalPull | null {
  const number = pr === null ? null : pullNumber(forge, pr.url)
  if (number !== null) return all.find((pull) => pull.number === number) ?? null
  return branch === null ? null : findOpenByBranch(all, branch)
}

function reading(forge: LocalForge, views: Map<number, PullView>, pull: LocalPull | null): PrReading {
  const view = pull && views.get(pull.number)
  return view ? { kind: 'read', snapshot: toSnapshot(forge, view) } : { kind: 'none' }
}

/** Newest first. */
export async function listPullRequests(forge: LocalForge, { state, limit }: PrFilter): Promise<Pull[]> {
  const recorded = forge.pulls.list().filter((pull) => state === 'all' || pull.state === 'open')
  const views = await observePulls(forge, recorded)
  return views
    .filter((view) => state === 'all' || view.state === 'open')
    .slice(-limit)
    .reverse()
    .map((view) => toSnapshot(forge, view))
}
