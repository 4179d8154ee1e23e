// All CI commands in one checkout, in order, with their results recorded: a later one may need what an earlier one built.
import type { ProjectConfig } from '../../contract/config.ts'
import type { Repository } from '../../git/repository.ts'
import { currentProcess, formatIdentity } from '../../lib/process/process-identity.ts'
import type { FarCheckout } from '../../slots/far-checkout.ts'
import type { CheckStore, CiCommand } from './check-store.ts'
import { runCheck } from './run-check.ts'
import { runRule } from './run-rule.ts'
import type { FoundEnd } from './run-witness.ts'

/** Whose commands run, and with which environment. */
export interface CommandHost {
  project: Pick<ProjectConfig, 'environment'>
  context: { env: NodeJS.ProcessEnv }
  repository(): Repository
  /** Where the project's data is: rules read what reviewers found. */
  projectDir?: string | undefined
}

export interface CommandsRun {
  commands: readonly CiCommand[]
  /** What rules compare; without it they do not apply. */
  change: { from: string; to: string } | null
  /** Where results are kept, and under which commit or tree. */
  store: CheckStore
  key: string
  /** Where programs run: in this directory here, or in a checkout beside an agent. */
  in: RunDirectory | RunPlace
  signal: AbortSignal
  /** Is a failure due once more, in a checkout of its own? Then nothing behind it runs now. */
  mayRepeat?: ((command: CiCommand) => boolean) | undefined
  onCommand?: ((command: CiCommand) => void) | undefined
}

export interface RunDirectory {
  directory: string
  marker: string
  inBackground?: boolean | undefined
}

export interface RunPlace {
  place: string
  checkout: Pick<FarCheckout, 'run'>
}

/** One that is cancelled or due once more leaves the results of the commands that ended before. */
export async function runCommands(host: CommandHost, run: CommandsRun): Promise<void> {
  for (const command of run.commands) {
    if (run.signal.aborted) return
    run.onCommand?.(command)
    if ((await runAndRecord(host, run, command)) === 'open') return
  }
}

async function runAndRecord(host: CommandHost, run: CommandsRun, command: CiCommand): Promise<'over' | 'open'> {
  const { store, key } = run
  const { name, run: text, since, coverage } = command
  const place = 'place' in run.in ? run.in.place : undefined
  const again = store.hasFailedBefore(key, command) || undefined
  const owner = formatIdentity(currentProcess())
  const started = { name, run: text, since, coverage, owner, startedAt: now(), place, again }
  store.write(key, { ...started, status: 'running' })
  let isOver = false
  try {
    const { kind, exitCode, why, finding } = await runOne(host, run, command)
    if (kind === 'cancelled') return 'open'
    const ended = { ...started, status: kind, finishedAt: now(), exitCode, why, finding }
    const isRepeated = kind === 'failed' && run.mayRepeat?.(command) === true
    if (isRepeated) store.keepFailure(key, ended)
    else store.write(key, ended)
    isOver = true
    return isRepeated ? 'open' : 'over'
  } finally {
    // Without an end, which a full disk does not take either, it would seem to be running as long as this process lives.
    if (!isOver) store.remove(key, command)
  }
}

async function runOne(host: CommandHost, run: CommandsRun, command: CiCommand): Promise<FoundEnd> {
  const { store, key, signal, change } = run
  const logFile = store.logFile(key, command)
  if (command.rule) {
    if (change === null) throw new Error(`${command.name} has no change to judge`)
    const range = { repository: host.repository(), ...change }
    const { witness } = command.rule
    if (witness === undefined) return runRule(command, range, { logFile, projectDir: host.projectDir })
    const { runWitness } = await import('./run-witness.ts')
    const how = { env: host.context.env, environment: host.project.environment ?? {}, store, signal }
    return runWitness({ ...how, command, rule: { ...command.rule, witness }, range }, logFile)
  }
  if ('checkout' in run.in) return run.in.checkout.run(command, { logFile, signal })
  const { env } = host.context
  const rule = host.project.environment ?? {}
  const startedAt = Date.now()
  const end = await runCheck({ command, ...run.in, env, rule, logFile, signal })
  const { coverage: path } = command
  if (path === undefined || change === null || end.kind === 'cancelled') return end
  const { readLinesThatRan } = await import('./read-lines-that-ran.ts')
  const range = { repository: host.repository(), ...change }
  return { ...end, finding: await readLinesThatRan({ path, directory: run.in.directory, startedAt, range }) }
}

function now(): string {
  return new Date().toISOString()
}
