// All CI commands in one checkout, in order, with their results recorded: a later one may need what an earlier one built.
import type { ProjectConfig } from '../../contract/config.ts'
import type { Repository } from '../../git/repository.ts'
import { currentProcess, formatIdentity } from '../../lib/process/process-identity.ts'
import type { CheckEnd, FarCheckout } from '../../slots/far-checkout.ts'
import type { CiCommand } from '../forge-options.ts'
import { runRule } from '../gates/run-rule.ts'
import type { CheckStore } from '../pulls/pull-checks.ts'
import { runCheck } from './run-check.ts'

/** Whose commands run, and with which environment. */
export interface CommandHost {
  project: Pick<ProjectConfig, 'environment'>
  context: { env: NodeJS.ProcessEnv }
  repository(): Repository
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
  onCommand?: ((command: CiCommand) => void) | undefined
}

export interface RunDirectory {
  directory: string
  marker: string
}

export interface RunPlace {
  place: string
  checkout: Pick<FarCheckout, 'run'>
}

/** A cancelled run leaves the results of the commands that ended before. */
export async function runCommands(host: CommandHost, run: CommandsRun): Promise<void> {
  for (const command of run.commands) {
    if (run.signal.aborted) return
    run.onCommand?.(command)
    if ((await runAndRecord(host, run, command)) === 'cancelled') return
  }
}

async function runAndRecord(host: CommandHost, run: CommandsRun, command: CiCommand): Promise<CheckEnd['kind']> {
  const { store, key } = run
  const { name, run: text, since } = command
  const place = 'place' in run.in ? run.in.place : undefined
  const started = { name, run: text, since, owner: formatIdentity(currentProcess()), startedAt: now(), place }
  store.write(key, { ...started, status: 'running' })
  let end: CheckEnd | null = null
  try {
    end = await runOne(host, run, command)
  } finally {
    // Without an end it would seem to be running as long as this process lives.
    if (end === null || end.kind === 'cancelled') store.remove(key, command)
  }
  const { kind, exitCode, why } = end
  if (kind !== 'cancelled') store.write(key, { ...started, status: kind, finishedAt: now(), exitCode, why })
  return kind
}

async function runOne(host: CommandHost, run: CommandsRun, command: CiCommand): Promise<CheckEnd> {
  const { store, key, signal, change } = run
  const logFile = store.logFile(key, command)
  if (command.rule) {
    if (change === null) throw new Error(`${command.name} has no change to judge`)
    return runRule(command, { repository: host.repository(), ...change }, logFile)
  }
  if ('checkout' in run.in) return run.in.checkout.run(command, { logFile, signal })
  const { env } = host.context
  const rule = host.project.environment ?? {}
  return runCheck({ command, ...run.in, env, rule, logFile, signal })
}

function now(): string {
  return new Date().toISOString()
}
