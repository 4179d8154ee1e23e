// The train of a project whose forge is not on this machine: one ride with each round that asks the forge.
import type { ProjectConfig } from '../../contract/config.ts'
import { pullRef } from '../../contract/ids.ts'
import type { PullRef } from '../../contract/pull.ts'
import { recordOf } from '../../contract/record.ts'
import type { TrainEventBody } from '../../core/landing/train-state.ts'
import { recordedPulls } from '../../core/status/recorded-facts.ts'
import { openRepository } from '../../git/repository.ts'
import { readProjectRemote } from '../../git/transfer/project-remote.ts'
import { canHostTrain, type HostedMemory } from '../../landing/hosted/hosted-train.ts'
import { openLedger } from '../../landing/hosted/ledger.ts'
import { createHostedMemory, rideHosted } from '../../landing/hosted/ride-hosted.ts'
import { openHostedRevert, readRedLog, watchHosted } from '../../landing/hosted/watch-hosted.ts'
import type { Origin } from '../../landing/proof/write-note.ts'
import { openTrainFile } from '../../landing/train/train-file.ts'
import { trainRule } from '../../landing/train/train-rule.ts'
import { storedSessions } from '../../manager/active.ts'
import { addGates, gatesOf } from '../../manager/observe/gates.ts'
import type { PrQuery, Scm } from '../../slots/scm.ts'
import { keepWatch, type WatchedBase } from '../loop/keep-watch.ts'
import type { LoopContext } from '../loop/loop-context.ts'
import { notifyStop } from './notify-stop.ts'

export interface HostedRequest {
  project: ProjectConfig
  projectDir: string
  scm: Scm | null
  signal: AbortSignal
  collide(a: number, b: number): boolean
  offer?(pull: number, commit: string): Promise<void>
  held?(pull: PullRef): string | null
  originOf?(sessionId: string): Origin | null
  say(line: string): void
  onEvent?(event: TrainEventBody): void
}

const memories = new WeakMap<LoopContext, Map<string, HostedMemory>>()

export async function keepHostedTrain(loop: LoopContext, request: HostedRequest): Promise<void> {
  const { project, projectDir, scm } = request
  const { mode = 'off', watch = 'off' } = project.landing ?? {}
  if (!canHostTrain(scm)) throw new Error(`the forge ${scm?.name ?? '(none)'} cannot have a train; nothing boards`)
  const { env, clock } = loop.context
  const remote = await readProjectRemote(project.path, env)
  if (remote === null) throw new Error(`${project.path} has no remote, so that no car can be pushed`)
  const gates = gatesOf(loop.context, project, scm)
  const where = {
    project,
    projectDir,
    scm,
    clock,
    remote: { repository: openRepository(project.path, env), name: remote.name },
  }
  const ride = () =>
    rideHosted(
      {
        ...request,
        ...where,
        ...trainRule(project, { merge: scm.mergeMethods?.[0] ?? 'squash' }),
        onlyFollow: mode === 'off',
        gates,
        candidates: () => (mode === 'off' ? [] : candidatesOf(loop, project)),
        async readPulls(queries) {
          const readings = await scm.readPullRequests(queries, project)
          await addGates(gates, readings)
          return readings
        },
      },
      memoryOf(loop, project.id),
    )
  let outcome = await ride()
  const isRepairing = watch !== 'off' && (await keepWatch(loop, hostedBase(where)))
  if (isRepairing) outcome = await ride()
  await notifyUntested(loop, project, projectDir)
  await notifyStop(loop, project, projectDir)
  if (outcome.kind === 'blocked') throw new Error(outcome.why)
}

function hostedBase(where: Parameters<typeof watchHosted>[0]): WatchedBase {
  return {
    ...where,
    watch: () => watchHosted(where),
    pullOf: (number) =>
      openLedger(where.projectDir)
        .read()
        .pulls.find((one) => one.number === number) ?? null,
    logOf: (commit, check) => readRedLog(where, commit, check),
    revert: (request) => openHostedRevert(where, request),
  }
}

function memoryOf(loop: LoopContext, projectId: string): HostedMemory {
  const existing = memories.get(loop) ?? new Map<string, HostedMemory>()
  memories.set(loop, existing)
  const memory = existing.get(projectId) ?? createHostedMemory()
  existing.set(projectId, memory)
  return memory
}

/** According to the last word of the forge; the ride asks it again. */
function candidatesOf({ context }: LoopContext, project: ProjectConfig): PrQuery[] {
  return storedSessions(context, project.id).flatMap((session) => {
    const record = recordOf(session)
    // Those in review too, when they conflict: only the next one is asked to rebase.
    const isInConflict = (url: string) => url === record.pr && record.prConflicts === 'true'
    const ready = recordedPulls(record).filter(
      ({ state, review, ci, url }) => state === 'open' && ((review === 'approved' && isGreen(ci)) || isInConflict(url)),
    )
    if (record.operation !== undefined) return []
    return ready.map(({ url }) => ({ sessionId: `${session.id} ${url}`, branch: null, pr: pullRef(url) }))
  })
}

function isGreen(ci: string): boolean {
  return ci === 'passing' || ci === 'none'
}

const RECENT_MS = 24 * 3_600_000

/** By what the train wrote down: also of a loop that was killed before it could notify anybody. */
export async function notifyUntested(loop: LoopContext, project: ProjectConfig, projectDir: string): Promise<void> {
  const { clock } = loop.context
  const since = clock.now().getTime() - RECENT_MS
  for (const { pull, commit, at, untested } of openTrainFile({ projectDir, clock }).read().landed) {
    if (untested === undefined || Date.parse(at) < since) continue
    await loop.notify({
      type: 'landing.failed',
      projectId: project.id,
      priority: 'urgent',
      message: `${project.name}: #${pull} landed as ${commit.slice(0, 10)}, a tree that was never tested: ${untested}`,
      dedupeKey: `train-untested ${project.id} ${commit}`,
    })
  }
}
