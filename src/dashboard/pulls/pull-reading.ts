// What a project's forge says about its pull requests, fetched once for everyone who asks within a moment. When it cannot
// be queried, the last answer stands and is marked as such.
import type { ProjectConfig } from '../../contract/config.ts'
import type { PullCard } from '../../contract/dashboard/cards.ts'
import { errorText } from '../../contract/errors.ts'
import { isOrchestratorSession, prNumber } from '../../core/status/describe-session.ts'
import { observePulls, type PullView } from '../../forge/pulls/observe-pulls.ts'
import { isLocalScm, type LocalForge } from '../../forge/types.ts'
import { scmOf } from '../../manager/chosen-plugin.ts'
import { addGates, gatesOf } from '../../manager/observe/gates.ts'
import type { PluginRegistry } from '../../slots/registry.ts'
import type { PrQuery, PrSnapshot, Scm } from '../../slots/scm.ts'
import type { DashboardContext } from '../server/context.ts'

export type KnownPull =
  | { kind: 'local'; view: PullView; sessionId: string | null; staleReason: string | null }
  | { kind: 'remote'; snapshot: PrSnapshot; sessionId: string | null; staleReason: string | null }

export interface PullReading {
  project: ProjectConfig
  scm: Scm | null
  /** null: another forge keeps them. */
  forge: LocalForge | null
  /** Newest first. */
  pulls: KnownPull[]
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
  const known = memory.get(project.id)
  const now = context.clock.now().getTime()
  const cards = describeWorkers(context, project)
  if (known && now < known.until && known.cards === cards) return known.reading
  const last = known?.last ?? null
  // While it is pending no second request is sent.
  const entry: Remembered = { until: Number.POSITIVE_INFINITY, cards, last, reading: ask(context, project, last) }
  memory.set(project.id, entry)
  void entry.reading.then((reading) => {
    entry.last = reading
    const lasts = reading.forge === null ? REMOTE_MS : LOCAL_MS
    if (memory.get(project.id) === entry) entry.until = context.clock.now().getTime() + lasts
  })
  return entry.reading
}

/** Something was changed just now: the next request is answered afresh. */
export function forgetPulls({ registry }: { registry: PluginRegistry }, projectId: string): void {
  const memory = memoryOf(registry)
  const known = memory.get(projectId)
  // One in progress may have read before the change.
  if (known) memory.set(projectId, { ...known, until: 0 })
}

/** What we did ourselves stays known while the forge cannot be queried. */
export function noteState(
  { registry }: { registry: PluginRegistry },
  projectId: string,
  { url, state }: { url: string; state: PrSnapshot['state'] },
): void {
  const last = memoryOf(registry).get(projectId)?.last
  for (const known of last?.pulls ?? []) {
    if (known.kind === 'remote' && known.snapshot.pr.url === url) known.snapshot = { ...known.snapshot, state }
  }
}

/** Never throws. */
async function ask(context: DashboardContext, project: ProjectConfig, last: PullReading | null): Promise<PullReading> {
  try {
    const scm = await scmOf(context, project)
    const forge = isLocalScm(scm) ? scm.forge(project) : null
    const base = { project, scm, forge, problem: null }
    if (forge !== null) return { ...base, pulls: await askLocal(context, forge) }
    if (scm?.readPullRequests === undefined) return { ...base, pulls: [] }
    return { ...base, ...(await askRemote(context, { ...base, scm, last })) }
  } catch (error) {
    const why = errorText(error)
    const pulls = (last?.pulls ?? []).map((pull) => ({ ...pull, staleReason: why }))
    return { project, scm: last?.scm ?? null, forge: last?.forge ?? null, pulls, problem: why }
  }
}

async function askLocal(context: DashboardContext, forge: LocalForge): Promise<KnownPull[]> {
  const views = await observePulls(forge, forge.pulls.list())
  // The first of them that names it: later entries of a Map would win.
  const owners = new Map(
    workersOf(context, forge.project)
      .map(({ id, pr }) => [pr?.url, id] as const)
      .reverse(),
  )
  return views.reverse().map((view) => {
    const sessionId = owners.get(view.pull.url) ?? view.pull.session
    return { kind: 'local', view, sessionId, staleReason: null }
  })
}

interface RemoteQuestion {
  project: ProjectConfig
  scm: Scm
  last: PullReading | null
}

async function askRemote(
  context: DashboardContext,
  { project, scm, last }: RemoteQuestion,
): Promise<Pick<PullReading, 'pulls' | 'problem'>> {
  const workers = workersOf(context, project)
  const before = new Map(last?.pulls.flatMap((one) => (one.sessionId === null ? [] : [[one.sessionId, one] as const])))
  const queries = workers.flatMap((worker) => queryOf(worker, before.get(worker.id)))
  const readings = queries.length === 0 ? new Map() : await scm.readPullRequests!(queries, project)
  await addGates(gatesOf(context, project, scm), readings)
  const pulls = new Map<string, KnownPull>()
  let problem: string | null = null
  for (const { id } of workers) {
    const reading = readings.get(id)
    const known = before.get(id)
    if (reading?.kind === 'unknown') problem ??= reading.why
    const found: KnownPull | undefined =
      reading?.kind === 'read'
        ? { kind: 'remote', snapshot: reading.snapshot, sessionId: id, staleReason: null }
        : reading?.kind === 'none'
          ? undefined
          : known && { ...known, staleReason: reading?.why ?? null }
    if (found?.kind !== 'remote' || pulls.has(found.snapshot.pr.url)) continue
    pulls.set(found.snapshot.pr.url, found)
  }
  const byNumber = (one: KnownPull) => (one.kind === 'remote' ? one.snapshot.pr.number : one.view.pull.number)
  return { pulls: [...pulls.values()].sort((a, b) => byNumber(b) - byNumber(a)), problem }
}

/** Merged is final: it is not queried again. */
function queryOf({ id, branch, pr, isOver }: Worker, before: KnownPull | undefined): PrQuery[] {
  const url = pr?.url ?? null
  if (before?.kind === 'remote' && before.snapshot.state === 'merged' && before.snapshot.pr.url === url) return []
  if (url === null && (branch === null || isOver)) return []
  return [{ sessionId: id, branch, pr: pr && { url: pr.url, number: pr.number ?? undefined } }]
}

/** Whose pull request it may be: sessions that are at work or have ended. */
interface Worker {
  id: string
  branch: string | null
  pr: Pick<PullCard, 'url' | 'number'> | null
  isOver: boolean
}

function workersOf({ board }: DashboardContext, project: ProjectConfig): Worker[] {
  const shown = board
    .read()
    .sessions.filter(({ projectId, role }) => projectId === project.id && role === 'worker')
    .map(({ id, branch, pr, column }) => ({ id, branch, pr, isOver: column === 'done' }))
  const older = board
    .older()
    .filter((session) => session.projectId === project.id && !isOrchestratorSession(session))
    .map((session) => {
      const { id, branch, pr } = session
      return { id, branch, pr: pr && { url: pr.url, number: prNumber(session) }, isOver: true }
    })
  return [...shown, ...older]
}

function describeWorkers(context: DashboardContext, project: ProjectConfig): string {
  return JSON.stringify(workersOf(context, project).map(({ id, branch, pr }) => [id, branch, pr]))
}

function memoryOf(registry: PluginRegistry): Map<string, Remembered> {
  const memory = memories.get(registry) ?? new Map<string, Remembered>()
  memories.set(registry, memory)
  return memory
}
