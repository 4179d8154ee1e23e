// The radar of meaning: while the machine is idle, live branches that touch the same files or import each other's are tried together
// with the project's own checks, and pairs that fail although each passes alone are marked. One run at a time on this machine.
import { join } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import type { RadarPicture, RedPair } from '../../contract/dashboard/radar.ts'
import { isSafeName } from '../../contract/ids.ts'
import { decideUnions, type Union, type UnionResult } from '../../core/radar/decide-unions.ts'
import { failedTest } from '../../core/radar/failed-test.ts'
import { type MachineLoad, mayStart, mustStop } from '../../core/radar/idle-machine.ts'
import { liveBranches } from '../../core/radar/live-branches.ts'
import { openRepository, type Repository, resolveRefs } from '../../git/repository.ts'
import type { TreeGates } from '../../landing/checks/project-gates.ts'
import { hasOwnTrain } from '../../landing/own-train.ts'
import { createLoadMeter, type LoadMeter } from '../../landing/radar/load-meter.ts'
import { areLinked, type LinkMemory, learnLinks } from '../../landing/radar/read-links.ts'
import { readRedPairs, writeRedPairs } from '../../landing/radar/red-pairs.ts'
import {
  type MadeUnion,
  makeUnion,
  readUnion,
  readUnionLog,
  runUnion,
  sweepUnions,
} from '../../landing/radar/run-union.ts'
import { withFreeLock } from '../../lib/lock.ts'
import { storedSessions } from '../../manager/active.ts'
import { scmOf } from '../../manager/context.ts'
import { gatesOf } from '../../manager/observe/gates.ts'
import type { LoopContext } from '../loop/loop-context.ts'

/** Pairs grow with the square of it. */
const MOST_BRANCHES = 40
const MOST_UNIONS = 2_000
const WATCH_MS = 2_000
const LOG_BYTES = 4 * 1024

interface Memory {
  meter: LoadMeter
  links: LinkMemory
  /** What there was when everything was known of it. */
  settled: string
  /** By base and heads. null: they do not merge. */
  unions: Map<string, MadeUnion | null>
  /** Steps on the way there, by the two commits. */
  merged: Map<string, string>
}

const memories = new WeakMap<LoopContext, Map<string, Memory>>()

function memoryOf(loop: LoopContext, projectId: string): Memory {
  const existing = memories.get(loop) ?? new Map<string, Memory>()
  memories.set(loop, existing)
  const memory = existing.get(projectId) ?? {
    meter: createLoadMeter(),
    links: { heads: new Map(), compared: new Map() },
    settled: '',
    unions: new Map(),
    merged: new Map(),
  }
  existing.set(projectId, memory)
  return memory
}

/** Until everything is known, or the machine has something better to do. `onChange`: pairs were found, or are over. */
export async function keepMeaning(
  loop: LoopContext,
  project: ProjectConfig,
  signal: AbortSignal,
  onChange: () => Promise<void>,
  meter: LoadMeter = memoryOf(loop, project.id).meter,
): Promise<void> {
  const projectDir = loop.context.paths.project(project.id).dir
  const repository = openRepository(project.path, loop.context.env)
  await sweepUnions(projectDir, repository)
  const gates = project.radar?.meaning === true ? await treeGates(loop, project, projectDir) : null
  if (gates === null) {
    if (writeRedPairs(projectDir, [])) await onChange()
    return
  }
  const samples: MachineLoad[] = [meter.sample()]
  if (!mayStart(samples[0]!)) return
  gates.requireTrust()
  const where = { loop, project, projectDir, repository, gates, memory: memoryOf(loop, project.id) }
  while (!signal.aborted && !mustStop(samples)) {
    const scene = await readScene(where)
    if (scene === null || where.memory.settled === signatureOf(where, scene)) return
    const decision = decideUnions(scene.facts)
    if (writeRedPairs(projectDir, pairsOf(where, scene, decision.pairs))) await onChange()
    if (decision.next === null) {
      where.memory.settled = signatureOf(where, scene)
      return
    }
    const made = await unionOf(where, scene, decision.next.ids)
    if (made === null || scene.facts.resultOf(decision.next) !== null) continue
    if ((await run(where, { scene, union: decision.next, made, meter, samples, signal })) === 'busy') return
  }
}

/** null: nothing would be run. */
async function treeGates(loop: LoopContext, project: ProjectConfig, projectDir: string): Promise<TreeGates | null> {
  const scm = await scmOf(loop.context, project)
  if (hasOwnTrain(scm)) return scm.train(project).onTrees(projectDir)
  return gatesOf(loop.context, project, scm)?.onTrees() ?? null
}

interface Where {
  loop: LoopContext
  project: ProjectConfig
  projectDir: string
  repository: Repository
  gates: TreeGates
  memory: Memory
}

interface Scene {
  base: string
  branches: Map<string, { branch: string; head: string }>
  apart: ReadonlySet<string>
  facts: Parameters<typeof decideUnions>[0]
}

/** What is committed, as it is now. null: the radar has not seen the project. */
async function readScene(where: Where): Promise<Scene | null> {
  const { loop, project, repository, memory } = where
  const picture = loop.radar.get(project.id)?.picture
  const base = picture?.base.commit ?? null
  if (picture === undefined || base === null) return null
  const live = picture.branches.filter((one) => isTried(where, one)).slice(0, MOST_BRANCHES)
  const refOf = ({ branch }: { branch: string }) => `refs/heads/${branch}`
  const tips = await resolveRefs(repository, live.map(refOf))
  const branches = new Map(
    live.flatMap((one): Array<[string, { branch: string; head: string }]> => {
      const head = tips.get(refOf(one))
      return head === undefined || head === base ? [] : [[one.id, { branch: one.branch, head }]]
    }),
  )
  const heads = [...branches.values()].map(({ head }) => head)
  await learnLinks(repository, memory.links, { base, heads })
  const apart = apartPairs(where, picture)
  const scene = { base, branches }
  const headOf = (id: string) => branches.get(id)?.head ?? ''
  return {
    ...scene,
    apart,
    facts: {
      branches: [...branches.keys()],
      linked: (a, b) => areLinked(memory.links, base, headOf(a), headOf(b)),
      apart: (a, b) => apart.has(`${a} ${b}`) || apart.has(`${b} ${a}`),
      resultOf: (union) => resultOf(where, scene, union),
    },
  }
}

/**
 * Work of an agent in a place does not run here before somebody has approved it, and of a pull request without a live session nobody
 * can say whose work it is; a branch that conflicts with its base has to be repaired first.
 */
function isTried({ loop, project }: Where, branch: RadarPicture['branches'][number]): boolean {
  const { sessionId, commits, conflictsWithBase } = branch
  if (commits === 0 || conflictsWithBase.length > 0) return false
  if (sessionId === null || !isSafeName(sessionId)) return false
  const record = loop.context.store(project.id).read(sessionId)?.record
  return record !== undefined && record.place === undefined && record.operation === undefined
}

/** git cannot merge them or has not tried, one stands on the other, or they are tries of the same task. */
function apartPairs({ loop, project }: Where, { meetings }: RadarPicture): Set<string> {
  const conflicts = meetings.filter(({ kind }) => kind !== 'clean').map(({ a, b }) => `${a} ${b}`)
  const live = liveBranches(storedSessions(loop.context, project.id), [], 0)
  return new Set([...conflicts, ...live.flatMap(({ id, apart = [] }) => apart.map((other) => `${id} ${other}`))])
}

function keyOf({ base, branches }: Pick<Scene, 'base' | 'branches'>, ids: readonly string[]): string {
  return [base, ...ids.map((id) => branches.get(id)!.head)].join(' ')
}

async function unionOf(
  { repository, memory }: Where,
  scene: Pick<Scene, 'base' | 'branches'>,
  ids: readonly string[],
): Promise<MadeUnion | null> {
  const key = keyOf(scene, ids)
  const cached = memory.unions.get(key)
  if (cached !== undefined) return cached
  if (memory.unions.size >= MOST_UNIONS) {
    memory.unions.clear()
    memory.merged.clear()
  }
  const branches = ids.map((id) => scene.branches.get(id)!)
  const made = await makeUnion(repository, memory.merged, { base: scene.base, branches })
  memory.unions.set(key, made)
  return made
}

function resultOf(where: Where, scene: Pick<Scene, 'base' | 'branches'>, { ids, attempt }: Union): UnionResult | null {
  const made = where.memory.unions.get(keyOf(scene, ids))
  if (made === undefined) return null
  return made === null ? 'unfit' : (readUnion({ ...where, tree: made.tree, attempt })?.[0] ?? null)
}

/** Of everything that decides, and of what was found: as long as it is the same, no result has to be read again. */
function signatureOf({ projectDir, gates }: Where, { base, branches, apart }: Scene): string {
  return JSON.stringify([base, [...branches], [...apart], gates.programs, readRedPairs(projectDir)])
}

/** Those that were found before stand until their branches move, or they were tried again. */
function pairsOf(where: Where, scene: Scene, found: ReadonlyArray<readonly [string, string]>): RedPair[] {
  const isHere = ({ a, b, heads }: RedPair) =>
    scene.branches.get(a)?.head === heads[0] && scene.branches.get(b)?.head === heads[1]
  const isOpen = ({ a, b }: RedPair) => {
    const ids = scene.facts.branches.filter((id) => id === a || id === b)
    return ([1, 2] as const).some((attempt) => scene.facts.resultOf({ ids, attempt }) === null)
  }
  const isFound = ({ a, b }: RedPair) => found.some((pair) => pair.includes(a) && pair.includes(b))
  const before = readRedPairs(where.projectDir).filter(isHere)
  const kept = before.filter((pair) => !isFound(pair) && isOpen(pair))
  return [...kept, ...found.map((pair) => describe(where, scene, pair))]
}

function describe(where: Where, scene: Scene, [a, b]: readonly [string, string]): RedPair {
  const heads: RedPair['heads'] = [scene.branches.get(a)!.head, scene.branches.get(b)!.head]
  const { commit, tree } = where.memory.unions.get(keyOf(scene, [a, b]))!
  const run = { ...where, tree, attempt: 2 }
  const check = readUnion(run)?.[1] ?? ''
  const log = readUnionLog(run, check, LOG_BYTES)
  return { a, b, heads, commit, check, test: failedTest(log), log }
}

interface Run {
  scene: Scene
  union: Union
  made: MadeUnion
  meter: LoadMeter
  /** Of this pass. */
  samples: MachineLoad[]
  signal: AbortSignal
}

/** busy: the machine has something better to do. */
async function run(where: Where, { scene, union, made, meter, samples, signal }: Run): Promise<'done' | 'busy'> {
  const { loop, project, projectDir, repository, gates } = where
  const stop = new AbortController()
  const timer = setInterval(() => {
    samples.push(meter.sample())
    if (mustStop(samples)) return stop.abort()
    // Refs that cannot be read now are asked for again in a moment.
    isAsItWas(repository, scene, union).then(
      (still) => still || stop.abort(),
      () => undefined,
    )
  }, WATCH_MS)
  const { ids, attempt } = union
  loop.say(`${project.id}: the radar tries ${ids.join(', ') || 'the base branch'}${ids.length > 1 ? ' together' : ''}`)
  try {
    const lock = join(loop.context.paths.dataDir, 'radar-run.lock')
    const outcome = await withFreeLock(lock, () =>
      runUnion({
        ...{ projectDir, repository, gates, attempt },
        ...made,
        signal: AbortSignal.any([signal, stop.signal]),
      }),
    )
    return outcome === null || outcome.result === 'busy' || mustStop(samples) ? 'busy' : 'done'
  } finally {
    clearInterval(timer)
  }
}

/** From files alone. */
async function isAsItWas(repository: Repository, { branches }: Scene, { ids }: Union): Promise<boolean> {
  const parts = ids.map((id) => branches.get(id)!)
  const tips = await resolveRefs(
    repository,
    parts.map(({ branch }) => `refs/heads/${branch}`),
  )
  return parts.every(({ branch, head }) => (tips.get(`refs/heads/${branch}`) ?? head) === head)
}
