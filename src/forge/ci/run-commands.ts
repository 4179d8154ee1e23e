// All CI commands in one checkout, in order, with their results recorded: a later one may need what an earlier one built.
import { currentProcess, formatIdentity } from '../../lib/process/process-identity.ts'
import type { CiCommand } from '../forge-options.ts'
import type { CheckStore } from '../pulls/pull-checks.ts'
import type { LocalForge } from '../types.ts'
import type { CiPlace } from './ci-directory.ts'
import { type CheckEnd, runCheck } from './run-check.ts'

export interface CommandsRun {
  /** Where results are kept, and under which commit or tree. */
  store: CheckStore
  key: string
  place: CiPlace
  marker: string
  signal: AbortSignal
  onCommand?: ((command: CiCommand) => void) | undefined
}

/** A cancelled run leaves the results of the commands that ended before. */
export async function runCommands(forge: LocalForge, run: CommandsRun): Promise<void> {
  for (const command of forge.options.ci) {
    if (run.signal.aborted) return
    run.onCommand?.(command)
    if ((await runAndRecord(forge, run, command)) === 'cancelled') return
  }
}

async function runAndRecord(
  forge: LocalForge,
  { store, key, place, marker, signal }: CommandsRun,
  command: CiCommand,
): Promise<CheckEnd['kind']> {
  const started = { ...command, owner: formatIdentity(currentProcess()), startedAt: now() }
  store.write(key, { ...started, status: 'running' })
  let end: CheckEnd | null = null
  try {
    const logFile = store.logFile(key, command)
    const { env } = forge.context
    const rule = forge.project.environment ?? {}
    end = await runCheck({ command, directory: place.worktree, env, rule, marker, logFile, signal })
  } finally {
    // Without an end it would seem to be running as long as this process lives.
    if (end === null || end.kind === 'cancelled') store.remove(key, command)
  }
  const { kind, exitCode, why } = end
  if (kind !== 'cancelled') store.write(key, { ...started, status: kind, finishedAt: now(), exitCode, why })
  return kind
}

function now(): string {
  return new Date().toISOString()
}
