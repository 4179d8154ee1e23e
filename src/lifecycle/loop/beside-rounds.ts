// What takes longer than a round and runs beside them: forge, radar, train, gates. The next round reads its results.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import { scmOf } from '../../manager/context.ts'
import { openTasks } from '../../store/tasks.ts'
import type { PauseKeeper } from '../watch/watch-pause.ts'
import { keepGates } from './keep-gates.ts'
import { keepRadar } from './keep-radar.ts'
import { keepTrain } from './keep-train.ts'
import { ignoreTrouble, type LoopContext } from './loop-context.ts'
import type { ProjectRounds } from './project-rounds.ts'

export interface BesideRounds {
  loop: LoopContext
  project: ProjectConfig
  rounds: ProjectRounds
  stopping: AbortController
  /** null: the loop has not been started. */
  pause(): PauseKeeper | null
  /** What is running, by name. */
  beside: Map<string, Promise<void>>
  /** What of it had news while it ran. */
  dueAgain: Set<string>
}

type Work = (of: BesideRounds) => Promise<unknown>

export function startBeside(of: BesideRounds): void {
  for (const [what, work] of Object.entries(BESIDE)) startOne(of, what, work)
}

/** While it is still running: once more afterwards, because it may have read what is news before that came. */
function startOne(of: BesideRounds, what: string, work: Work): void {
  if (of.beside.has(what)) return void of.dueAgain.add(what)
  const done = ignoreTrouble(of, what, () => work(of)).finally(() => {
    of.beside.delete(what)
    if (of.dueAgain.delete(what) && !of.stopping.signal.aborted) startOne(of, what, work)
  })
  of.beside.set(what, done)
}

const BESIDE: Readonly<Record<string, Work>> = {
  'the forge': async ({ loop, project, stopping }) =>
    (await scmOf(loop.context, project))?.advance?.(project, { signal: stopping.signal }),
  'the radar': async ({ loop, project, rounds }) => {
    for (const session of await keepRadar(loop, project)) rounds.trigger({ session })
  },
  'the radar of meaning': async (of) => {
    const { loop, project, rounds } = of
    const signal = landingSignal(of)
    const { dir } = loop.context.paths.project(project.id)
    // What a killed loop left is removed also where this is off by now.
    if (signal === null || (project.radar?.meaning !== true && !existsSync(join(dir, 'radar', 'ci')))) return
    const { keepMeaning } = await import('../landing/keep-meaning.ts')
    await keepMeaning(loop, project, signal, async () => {
      for (const session of await keepRadar(loop, project)) rounds.trigger({ session })
    })
  },
  'the train': async (of) => {
    const signal = landingSignal(of)
    if (signal) await keepTrain(of.loop, of.project, signal)
  },
  'groups of sessions': async (of) => {
    const { loop, project } = of
    const signal = landingSignal(of)
    if (signal && openTasks(loop.context.paths.project(project.id).dir).length > 0)
      await (await import('../landing/land-groups.ts')).landGroups(loop, project, signal)
  },
  'steps after landings': async (of) => {
    const { loop, project, stopping } = of
    if ((project.landing?.after ?? []).length === 0) return
    const { keepAfter } = await import('../landing/keep-after.ts')
    await keepAfter(loop, project, stopping.signal, () => landingSignal(of) === null)
  },
  'the gates': async ({ loop, project, rounds, stopping }) => {
    const changed = await keepGates(loop, project, stopping.signal)
    for (const session of changed) rounds.trigger({ session })
    if (changed.length > 0) rounds.trigger({ forge: true })
  },
}

/** Aborted when everything is paused; null: it is. */
function landingSignal({ stopping, pause }: BesideRounds): AbortSignal | null {
  const keeper = pause()
  if (keeper === null) return stopping.signal
  return keeper.isPaused() ? null : AbortSignal.any([stopping.signal, keeper.signal()])
}
