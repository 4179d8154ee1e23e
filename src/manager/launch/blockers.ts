// The work that other work stands on or waits for: which it is, and whether that can start. Changes nothing.
import { type Blocker, isWaiting, parseBlocker, type Stand, writeBlocker } from '../../contract/blocker.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { SessionRecord } from '../../contract/record.ts'
import { isSafeBranch } from '../../core/session/name-branch.ts'
import { decideStart, type StartDecision } from '../../core/task/decide-start.ts'
import { findCycle } from '../../core/task/find-cycle.ts'
import {
  type BlockerNames,
  blockerName,
  blockersIn,
  readBlocker,
  relatedIssue,
  uniqueBlockers,
} from '../../core/task/read-blockers.ts'
import type { Issue } from '../../slots/tracker.ts'
import { findActive, findArchived, type ManagerContext, projectIds } from '../context.ts'
import { findPull, observeBlockers, standOf } from './observe-blockers.ts'

export interface Base {
  branch: string
  /** The session whose branch it is, as far as it has not landed; null: no session's. */
  on: Stand | null
}

/** Where the work of one session starts and what it is for. */
export async function findBase(
  context: ManagerContext,
  project: ProjectConfig,
  base: string | undefined,
): Promise<Base> {
  if (base === undefined || base === project.defaultBranch) return { branch: project.defaultBranch, on: null }
  const literal = /^refs\/heads\/(.+)$/.exec(base)?.[1]
  if (literal !== undefined && isSafeBranch(literal)) return { branch: literal, on: null }
  const blocker = readBlocker(base, namesFor(context, project))
  if (blocker?.kind === 'session') {
    const found = findActive(context, blocker.id)
    if (found && found.project.id !== project.id)
      throw new AoError('USAGE', `${base} works in ${found.project.id}, not in ${project.id}`)
    const branch = found?.stored.record.branch
    if (branch !== undefined) return { branch, on: standOf(context, project, blocker.id) ?? null }
    throw new AoError('USAGE', `${base} has no branch to start from`, { details: { base } })
  }
  if (blocker?.kind === 'pull') {
    const { branch, isFork } = await findPull(context, project, blocker.number)
    if (isFork || (branch !== undefined && !isSafeBranch(branch)))
      throw new AoError('USAGE', `The branch of ${base} is not one of this repository that work can start from`, {
        hint: 'Bring it here under a name of its own, then name that with --base',
        details: { base, branch },
      })
    if (branch !== undefined) return { branch, on: null }
    throw new AoError('SCM_FAILED', `The forge does not say which branch ${base} is on`)
  }
  if (isSafeBranch(base)) return { branch: base, on: null }
  throw new AoError('USAGE', `${JSON.stringify(base)} is not a branch, a session or pr:<number>`, {
    hint: 'Name where the work starts, for example: --base develop',
    details: { base },
  })
}

export interface NeededBy {
  issueId: string | undefined
  issue: Issue | null
  /** What its tracker says. */
  related: readonly string[]
  /** As the user gave them. */
  needs: readonly string[]
}

/** What the user and the issue say. Throws for a reference that names nothing, and for work that would wait for itself. */
export function findBlockers(
  context: ManagerContext,
  project: ProjectConfig,
  { issueId, issue, related, needs }: NeededBy,
): Blocker[] {
  const names = namesFor(context, project)
  const wanted = needs.map((text) => {
    const blocker = readBlocker(text, names)
    if (blocker) return blocker
    throw new AoError('USAGE', `${JSON.stringify(text)} is not a session, an issue or pr:<number>`, {
      hint: 'For example: --needs app-3,42,pr:7',
      details: { needs: text },
    })
  })
  const relations = related.map((id): Blocker => relatedIssue(id, names) ?? { kind: 'issue', project: project.id, id })
  const blockers = uniqueBlockers([...wanted, ...relations, ...blockersIn(issue?.description ?? '', names)])
  if (blockers.length > 0 && issueId !== undefined) requireNoCycle(context, project, issueId, blockers)
  return blockers
}

function namesFor(context: ManagerContext, project: ProjectConfig): BlockerNames {
  const projects = Object.values(context.config.projects)
  return {
    project: project.id,
    findProject: (name) =>
      projects.find(({ id, sessionPrefix, repo }) => [id, sessionPrefix].includes(name) || isSame(repo, name))?.id ??
      null,
    isSession: (id) => (findActive(context, id) ?? findArchived(context, id)) !== null,
  }
}

/** Forges take no notice of case. */
function isSame(repo: string | undefined, name: string): boolean {
  return repo?.toLowerCase() === name.toLowerCase()
}

function requireNoCycle(context: ManagerContext, project: ProjectConfig, issueId: string, blockers: Blocker[]): void {
  const own = writeBlocker({ kind: 'issue', project: project.id, id: issueId })
  const way = findWay(context, project, own, blockers)
  if (way === null) return
  throw new AoError('USAGE', `This would wait for itself: ${way.join(' needs ')}`, {
    hint: 'Nothing was started. Take one of these dependencies out, or start it anyway with --now',
    details: { cycle: way },
  })
}

/** Records are files, and issues are taken by others meanwhile: what was no circle when it was spawned may be one now. */
export function findOwnCycle(
  context: ManagerContext,
  project: ProjectConfig,
  { id, record }: { id: string; record: Pick<SessionRecord, 'issue' | 'blockers'> },
): string[] | null {
  const { issue, blockers = [] } = record
  const ofIssue = issue === undefined ? [] : [writeBlocker({ kind: 'issue', project: project.id, id: issue })]
  for (const own of [`session:${id}`, ...ofIssue]) {
    const way = findWay(context, project, own, blockers)
    if (way !== null) return way
  }
  return null
}

/** Through the sessions that are there: an issue leads to those that work on it, and these to what they wait for. */
function findWay(
  context: ManagerContext,
  project: ProjectConfig,
  own: string,
  blockers: readonly Blocker[],
): string[] | null {
  const needs = new Map<string, string[]>()
  for (const { id, projectId, record } of waitingRecords(context)) {
    const blocked = record.blockers?.map(writeBlocker) ?? []
    const issue =
      record.issue === undefined ? [] : [writeBlocker({ kind: 'issue', project: projectId, id: record.issue })]
    for (const key of [`session:${id}`, ...issue]) needs.set(key, [...(needs.get(key) ?? []), ...blocked])
  }
  needs.set(own, blockers.map(writeBlocker))
  const cycle = findCycle(own, (key) => needs.get(key) ?? [])
  if (!cycle) return null
  return cycle.flatMap((word) => {
    const blocker = parseBlocker(word)
    return blocker ? [blockerName(blocker, project.id)] : []
  })
}

function waitingRecords(context: ManagerContext) {
  return projectIds(context).flatMap((projectId) => {
    const waiting = context
      .store(projectId)
      .readAll()
      .filter(({ record }) => isWaiting(record))
    return waiting.map(({ id, record }) => ({ id, projectId, record }))
  })
}

/** Throws when what it needs will not land: then a person decides first. */
export async function decideWait(
  context: ManagerContext,
  project: ProjectConfig,
  { blockers, on }: { blockers: readonly Blocker[]; on: Stand | null },
): Promise<Exclude<StartDecision, { act: 'ask' }>> {
  if (blockers.length === 0) return { act: 'start', on }
  const observed = await observeBlockers(context, project, blockers)
  const decision = decideStart(observed, { project: project.id, speculate: project.speculate === true, on })
  if (decision.act !== 'ask') return decision
  throw new AoError('STATE_REFUSED', `It would never start by itself: ${decision.reason}`, {
    hint: 'Nothing was started. Start it now, whatever it needs, with --now',
  })
}
