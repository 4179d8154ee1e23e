// `gh run rerun`: the checks of a pull request's head are due again. The loop runs them, or `gh run watch` and `gh pr checks
// --watch` do. One checkout serves all checks in order, so a rerun always begins with the first.

import type { Io } from '../../cli/io.ts'
import { commandsSince } from '../../forge/forge-options.ts'
import { observePull } from '../../forge/pulls/observe-pulls.ts'
import type { LocalPull } from '../../forge/pulls/pull-events.ts'
import type { LocalForge } from '../../forge/types.ts'
import { GhError } from '../gh-error.ts'
import { parseFlags } from '../gh-flags.ts'
import { openGh, wantedPull } from '../open-gh.ts'
import { findJob, requireRunId } from './job.ts'

const FLAGS = {
  failed: {},
  job: { short: 'j', value: true },
  debug: { short: 'd', refused: 'checks have no debug logging' },
} as const

export async function runRerun(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, FLAGS)
  const job = args.value('job')
  if (job !== undefined && args.has('failed')) throw new GhError('specify only one of `--failed` or `--job`')
  const gh = await openGh(io, args)
  const pull =
    job === undefined
      ? await wantedPull(gh, requireRunId(args.positionals), io)
      : (await findJob(gh.forge, job)).view.pull
  await rerunChecks(gh.forge, pull, { onlyFailed: args.has('failed') })
  io.note(`✓ Requested rerun of run ${pull.number}; to see its end: gh run watch ${pull.number}`)
  return 0
}

export async function rerunChecks(
  forge: LocalForge,
  pull: LocalPull,
  { onlyFailed }: { onlyFailed: boolean },
): Promise<void> {
  const refuse = (why: string) => new GhError(`run ${pull.number} cannot be rerun; ${why}`)
  const { state, checks, headSha, from } = await observePull(forge, pull)
  if (state !== 'open') throw refuse(`pull request ${pull.number} is ${state}`)
  if (checks.length === 0) throw refuse('this project has no checks')
  if (checks.some(({ status }) => status === 'running' || status === 'pending'))
    throw refuse('its checks are running or about to run')
  if (onlyFailed && checks.every(({ status }) => status !== 'failed')) throw refuse('no job of it has failed')
  for (const command of commandsSince(forge.options.ci, from ?? '')) forge.checks.remove(headSha, command)
}
