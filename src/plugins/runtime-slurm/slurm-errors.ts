// What went wrong with Slurm, as errors with a next step.
import { AoError } from '../../contract/errors.ts'
import type { ExecResult } from '../../lib/exec.ts'
import type { Job } from './job-states.ts'

export function stillWaiting({ id }: Job, why: string, passes: boolean, seconds: number): AoError {
  if (!passes) {
    return new AoError('PLACE_FAILED', `Slurm will not start the job ${id}: ${why}`, {
      hint: "Correct the place's options; the job was cancelled",
    })
  }
  return new AoError('PLACE_FULL', `The job ${id} still waits in Slurm's queue after ${seconds} s: ${why}`, {
    hint: 'It was cancelled. Try again later, use another place, or raise `queueSeconds` of the place',
  })
}

export function unreachable(message: string): AoError {
  return new AoError('PLACE_UNREACHABLE', message, { hint: 'Try it by hand: scontrol ping; squeue --me' })
}

export function failure(result: ExecResult): AoError {
  if (result.startError) {
    return new AoError('TOOL_MISSING', `Slurm's commands are not on PATH: ${result.startError.message}`, {
      hint: 'Run ao where sbatch works, such as a login node of the cluster',
    })
  }
  const lines = result.stderr.split('\n').filter((line) => line.trim() !== '')
  const output = result.timedOut
    ? 'it did not answer in time'
    : (lines
        .at(-1)
        ?.trim()
        .replace(/^\w+: (?:error: )?/, '') ?? 'it gave no reason')
  const details = { stderr: result.stderr.slice(-2_000) }
  if (
    result.timedOut ||
    /unable to contact|connection refused|communication connection|munge|socket timed out/i.test(result.stderr)
  ) {
    return new AoError('PLACE_UNREACHABLE', `Slurm's controller cannot be reached: ${output}`, {
      hint: 'Try it by hand: scontrol ping',
      details,
    })
  }
  if (/configuration (?:source|file)|ClusterName needs/i.test(result.stderr)) {
    return new AoError('PLACE_UNREACHABLE', `Slurm's commands know no cluster here: ${output}`, {
      hint: 'Run ao where sbatch works, such as a login node of the cluster',
      details,
    })
  }
  return new AoError('PLACE_FAILED', `Slurm refused: ${output}`, {
    hint: "Correct the place's options, or try by hand: sbatch --wrap true",
    details,
  })
}
