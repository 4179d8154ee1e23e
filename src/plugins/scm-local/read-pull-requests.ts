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
    const pulls = [...new Set([...wanted.values()].flat())]
    const views = new Map((await observePulls(forge, pulls)).map((view) => [view.pull.number, view]))
    return new Map(queries.map(({ sessionId }) => [sessionId, reading(forge, views, wanted.get(sessionId) ?? [])]))
  } catch (error) {
    const why = errorText(error)
    return new Map(queries.map(({ sessionId }) => [sessionId, { kind: 'unknown', why }]))
  }
}

/** Its pull request, then the other open ones that it made, the newest first. */
function findWanted(forge: LocalForge, all: LocalPull[], { sessionId, branch, pr }: PrQuery): LocalPull[] {
  const number = pr === null ? null : pullNumber(forge, pr.url)
  const byBranch = branch === null ? null : findOpenByBranch(all, branch)
  const own = number === null ? byBranch : (all.find((pull) => pull.number === number) ?? null)
  if (own === null) return []
  const others = all.filter((pull) => pull !== own && pull.session === sessionId && pull.state === 'open')
  return [own, ...others.reverse()]
}

/** A session is about what is still open: it is merged only when nothing of it is. */
function reading(forge: LocalForge, views: Map<number, PullView>, pulls: LocalPull[]): PrReading {
  const found = pulls.flatMap(({ number }) => views.get(number) ?? [])
  const view = found.find(({ state }) => state === 'open') ?? found[0]
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
