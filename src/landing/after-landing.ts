// Steps after a landing, `landing/after.json` and a log for each: what is about to run is on the disk before it does, and how it ended
// before anything else is done.
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../contract/config.ts'
import { AoError, errorText } from '../contract/errors.ts'
import { type AfterState, type AfterStep, afterEnd, decideAfter, type StepRun } from '../core/landing/decide-after.ts'
import type { Repository } from '../git/repository.ts'
import { requireOwnVersion, writeFileAtomic } from '../lib/atomic-write.ts'
import type { Clock } from '../lib/clock.ts'
import { failpoint } from '../lib/failpoint.ts'
import { withFreeLock, withLock } from '../lib/lock.ts'
import { readIfThere, readTail } from '../lib/plain-file.ts'
import { checkKey } from './checks/check-store.ts'
import { type CiDirectory, ciDirectory, clearCi, withCheckout } from './checks/ci-directory.ts'
import { runCheck } from './checks/run-check.ts'

const DEFAULT_TIMEOUT_S = 600

/** null: nothing was ever seen to land. Throws when the file is damaged: steps that it knows of must not be forgotten in silence. */
export function readAfter(projectDir: string): AfterState | null {
  const file = fileIn(projectDir)
  const text = readIfThere(file)
  if (text === null) return null
  try {
    const state = JSON.parse(text) as AfterState | null
    if (Array.isArray(state?.landings) && !Number.isNaN(Date.parse(state.since))) return state
    throw new Error('it has no list of landings')
  } catch (error) {
    requireOwnVersion(file)
    throw new AoError('METADATA_DAMAGED', `The steps after landings in ${file} cannot be read: ${errorText(error)}`, {
      hint: `Correct it by hand, or move it away: what has landed before then is not repeated. mv ${file} ${file}.damaged`,
      details: { file },
      cause: error,
    })
  }
}

export function changeAfter(projectDir: string, change: (state: AfterState | null) => AfterState): Promise<AfterState> {
  mkdirSync(join(projectDir, 'landing'), { recursive: true, mode: 0o700 })
  return withLock(`${fileIn(projectDir)}.lock`, () => {
    const state = change(readAfter(projectDir))
    writeFileAtomic(fileIn(projectDir), `${JSON.stringify(state, null, 2)}\n`)
    return state
  })
}

function fileIn(projectDir: string): string {
  return join(projectDir, 'landing', 'after.json')
}

function afterLog(projectDir: string, commit: string, { name, run }: Pick<AfterStep, 'name' | 'run'>): string {
  return join(projectDir, 'after', commit, `${checkKey({ name, run })}.log`)
}

const LOG_BYTES = 16 * 1024

export function readAfterLog(projectDir: string, commit: string, step: AfterStep): string {
  const file = afterLog(projectDir, commit, step)
  return readIfThere(file) === null ? '' : readTail(file, LOG_BYTES).toString('utf8')
}

export interface AfterRun {
  project: ProjectConfig
  projectDir: string
  repository: Repository
  clock: Clock
  signal: AbortSignal
  /** Then nothing begins; a step that is at work is not cut off. */
  isPaused(): boolean
  /** Throws unless the user has agreed to these very steps. */
  requireTrust(): void
  say(line: string): void
  /** A step that may be half done, or that failed too often. `since`: when this attempt began, whoever asks about it. */
  ask(step: AfterStep, commit: string, run: StepRun, since: string): Promise<void>
}

/** Runs what is due, until nothing is. Another process may be at it. */
export async function runAfter(run: AfterRun): Promise<void> {
  const { projectDir, project, clock, signal } = run
  mkdirSync(join(projectDir, 'after'), { recursive: true, mode: 0o700 })
  const ci = ciDirectory(join(projectDir, 'after'))
  await withFreeLock(ci.lock, async () => {
    for (;;) {
      const state = readAfter(projectDir)
      if (state === null || signal.aborted || run.isPaused()) return
      const now = clock.now()
      const decision = decideAfter(state, project.landing?.after ?? [], now.getTime())
      if (decision.act === 'none') return
      const { commit, step } = decision
      if (decision.act === 'ask') {
        // What is left of it is ended first: nobody repeats what is still at work.
        await clearCi(ci, run.repository)
        const why = 'it was interrupted, and may have done its work or not'
        const interrupted: StepRun = { ...decision.run, state: 'interrupted', at: now.toISOString(), why }
        await run.ask(step, commit, interrupted, decision.run.at)
        await note(projectDir, commit, step, interrupted)
        continue
      }
      run.requireTrust()
      const done = await runStep(run, ci, { commit, step, attempt: decision.attempt })
      run.say(`${project.id}: ${step.name} after ${commit.slice(0, 10)}: ${done.why ?? done.state}`)
    }
  })
}

async function runStep(
  { project, projectDir, repository, clock, signal, ask }: AfterRun,
  ci: CiDirectory,
  { commit, step, attempt }: { commit: string; step: AfterStep; attempt: number },
): Promise<StepRun> {
  const marker = `after-${randomUUID()}`
  const since = clock.now().toISOString()
  await note(projectDir, commit, step, { state: 'running', attempts: attempt, at: since })
  failpoint('after.announced')
  const { name, run, timeout = DEFAULT_TIMEOUT_S } = step
  const end = await withCheckout(ci, repository, { commit, marker }, () =>
    runCheck({
      command: { name, run, timeoutMs: timeout * 1000 },
      directory: ci.worktree,
      env: repository.env,
      rule: project.environment ?? {},
      marker,
      logFile: afterLog(projectDir, commit, step),
      signal,
    }),
  ).catch((error: unknown) => ({
    kind: 'failed' as const,
    why: error instanceof AoError ? error.message : String(error),
  }))
  failpoint('after.ended')
  // Stopped by us: how far it came is unknown, as after a crash.
  if (end.kind === 'cancelled') return { state: 'running', attempts: attempt, at: '', why: end.why }
  const done = afterEnd({ ok: end.kind === 'passed', why: end.why }, attempt, clock.now().toISOString())
  // First: once it is written down nobody tries it, or asks about it, again.
  if (done.state === 'gave-up') await ask(step, commit, done, since)
  await note(projectDir, commit, step, done)
  return done
}

function note(projectDir: string, commit: string, { name }: AfterStep, run: StepRun): Promise<AfterState> {
  return changeAfter(projectDir, (state) => {
    if (state === null) throw new AoError('STATE_REFUSED', `Nothing is known to have landed as ${commit}`)
    const landings = state.landings.map((one) =>
      one.commit === commit ? { ...one, steps: { ...one.steps, [name]: run } } : one,
    )
    return { ...state, landings }
  })
}
