// What a project's forge says about its pull requests, fetched once for everyone who asks within a moment. When it cannot
// be queried, the last answer stands and is marked as such.

import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import { pullRef } from '../../contract/ids.ts'
import type { Pull } from '../../contract/pull.ts'
import { recordOf } from '../../contract/record.ts'
import { isOrchestratorSession } from '../../core/status/describe-session.ts'
import { pullUrls } from '../../core/status/recorded-facts.ts'
import { scmOf } from '../../manager/context.ts'
import { addGates, gatesOf } from '../../manager/observe/gates.ts'
import type { PluginRegistry } from '../../slots/registry.ts'
import type { PrQuery, Scm } from '../../slots/scm.ts'
import type { DashboardContext } from '../server/context.ts'

export interface ReadPull {
  pull: Pull
  sessionId: string | null
  /** Why this is what was read before. */
  staleReason: string | null
}

export interface PullReading {
  project: ProjectConfig
  scm: Scm | null
  /** Newest first: all of a forge that costs nothing to ask, else those of sessions. */
  pulls: ReadPull[]
  /** Why nothing, or not everything, could be read now. */
  problem: string | null
}

/** Local files cost little; every request to a network forge counts against its limit. */
const LOCAL_MS = 500
const REMOTE_MS = 10_000

interface Remembered {
  until: number
  /** What the sessions' cards said about their pull requests then: a difference means news. */
  cards: string
  reading: Promise<PullReading>
  last: PullReading | null
}

/** With the plugins that were queried: another configuration starts anew. */
const memories = new WeakMap<PluginRegistry, Map<string, Remembered>>()

export async function readPulls(context: DashboardContext, project: ProjectConfig): Promise<PullReading> {
  // While no page is open the cards are not kept up to date.
  await context.board.fresh()
  const memory = memoryOf(context.registry)
  const cached = memory.get(project.id)
  const now = context.clock.now().getTime()
  const cards = describeWorkers(context, project)
  if (cached && now < cached.until && cached.cards === cards) return cached.reading
  const last = cached?.last ?? null
  // While it is pending no second request is sent.
  const entry: Remembered = { until: Number.POSITIVE_INFINITY, cards, last, reading: ask(context, project, last) }
  memory.set(project.id, entry)
  void entry.reading.then((reading) => {
    entry.last = reading
    const lasts = reading.scm?.costsNothing ? LOCAL_MS : REMOTE_MS
    if (memory.get(project.id) === entry) entry.until = context.clock.now().getTime() + lasts
  })
  return entry.reading
}

/** Something was changed just now: the next request is answered afresh. */
export function forgetPulls({ registry }: { registry: PluginRegistry }, projectId: string): void {
  const memory = memoryOf(registry)
  const cached = memory.get(projectId)
  // One in progress may have read before the change.
  if (cached) memory.set(projectId, { ...cached, until: 0 })
}

/** What we did ourselves stays known while the forge cannot be queried. */
export function noteState(
  { registry }: { registry: PluginRegistry },
  projectId: string,
  { url, state }: { url: string; state: Pull['state'] },
): void {
  const last = memoryOf(registry).get(projectId)?.last
  for (const cached of last?.pulls ?? []) {
    if (cached.pull.pr.url === url) cached.pull = { ...cached.pull, state }
  }
}

/** Never throws. */
async function ask(context: DashboardContext, project: ProjectConfig, last: PullReading | null): Promise<PullReading> {
  try {
    const scm = await scmOf(context, project)
    const base = { project, scm, problem: null }
    if (scm?.costsNothing && scm.listPRs) return { ...base, pulls: await listAll(context, project, scm.listPRs) }
    if (scm?.readPullRequests === undefined) return { ...base, pulls: [] }
    return { ...base, ...(await readOfSessions(context, { project, scm, last })) }
  } catch (error) {
    const why = errorText(error)
    const pulls = (last?.pulls ?? []).map((read) => ({ ...read, staleReason: why }))
    return { project, scm: last?.scm ?? null, pulls, problem: why }
  }
}

async function listAll(
  context: DashboardContext,
  project: ProjectConfig,
  list: NonNullable<Scm['listPRs']>,
): Promise<ReadPull[]> {
  const pulls = await list({ state: 'all', limit: Number.MAX_SAFE_INTEGER }, project)
  // The first of them that names it: later entries of a Map would win.
  const owners = new Map(
    workersOf(context, project)
      .flatMap(({ id, prs }) => prs.map((url) => [url, id] as const))
      .reverse(),
  )
  return pulls.map((pull) => {
    return { pull, sessionId: owners.get(pull.pr.url) ?? pull.session ?? null, staleReason: null }
  })
}

interface SessionQuestion {
  project: ProjectConfig
  scm: Scm
  last: PullReading | null
}

async function readOfSessions(
  context: DashboardContext,
  { project, scm, last }: SessionQuestion,
): Promise<Pick<PullReading, 'pulls' | 'problem'>> {
  const before = last?.pulls ?? []
  const queries = workersOf(context, project).flatMap((worker) => queriesOf(worker))
  const due = queries.filter(({ pr }) => !before.some(({ pull }) => pull.state === 'merged' && pull.pr.url === pr?.url))
  const readings = due.length === 0 ? new Map() : await scm.readPullRequests!(due, project)
  await addGates(gatesOf(context, project, scm), readings)
  const pulls = new Map<string, ReadPull>()
  let problem: string | null = null
  for (const { sessionId: key, pr } of queries) {
    const [id = ''] = key.split(' ')
    const reading = readings.get(key)
    const cached = before.find(({ pull, sessionId }) => (pr === null ? sessionId === id : pull.pr.url === pr.url))
    if (reading?.kind === 'unknown') problem ??= reading.why
    const found: ReadPull | undefined =
      reading?.kind === 'read'
        ? { pull: reading.snapshot, sessionId: id, staleReason: null }
        : reading?.kind === 'none'
          ? undefined
          : cached && { ...cached, staleReason: reading?.why ?? null }
    if (found === undefined || pulls.has(found.pull.pr.url)) continue
    pulls.set(found.pull.pr.url, found)
  }
  return { pulls: [...pulls.values()].sort((a, b) => b.pull.pr.number - a.pull.pr.number), problem }
}

function queriesOf({ id, branch, prs, isOver }: Worker): PrQuery[] {
  if (prs.length === 0) return branch === null || isOver ? [] : [{ sessionId: id, branch, pr: null }]
  return prs.map((url) => ({ sessionId: `${id} ${url}`, branch: null, pr: pullRef(url) }))
}

/** Whose pull request it may be: sessions that are at work or have ended. */
interface Worker {
  id: string
  branch: string | null
  /** URLs of its own. */
  prs: string[]
  isOver: boolean
}

function workersOf({ board }: DashboardContext, project: ProjectConfig): Worker[] {
  const shown = board
    .read()
    .sessions.filter(({ projectId, role }) => projectId === project.id && role === 'worker')
    .map(({ id, branch, pr, otherPulls, column }) => {
      return { id, branch, prs: pr ? [pr, ...otherPulls].map(({ url }) => url) : [], isOver: column === 'done' }
    })
  const older = board
    .older()
    .filter((session) => session.projectId === project.id && !isOrchestratorSession(session))
    .map((session) => ({ ...session, prs: pullUrls(recordOf(session)), isOver: true }))
  return [...shown, ...older]
}

function describeWorkers(context: DashboardContext, project: ProjectConfig): string {
  return JSON.stringify(workersOf(context, project).map(({ id, branch, prs }) => [id, branch, prs]))
}

function memoryOf(registry: PluginRegistry): Map<string, Remembered> {
  const memory = memories.get(registry) ?? new Map<string, Remembered>()
  memories.set(registry, memory)
  return memory
}
