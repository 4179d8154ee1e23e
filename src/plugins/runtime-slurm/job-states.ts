// What Slurm says of a job, in words that explain it.

import { AoError } from '../../contract/errors.ts'
import type { ExecResult } from '../../lib/exec.ts'
import type { PlaceState } from '../../slots/place.ts'
import { EXIT_NO_DIRECTORY, EXIT_UNUSED } from './job-script.ts'

export interface Job {
  id: string
  name: string
  state: string
  reason: string
  timeLimit: string
  node: string
  exitCode: number
}

/** One line of `scontrol --oneliner show job`. null: not such a line. */
export function readJob(line: string): Job | null {
  const field = (name: string) => new RegExp(`(?:^|\\s)${name}=(\\S*)`).exec(line)?.[1] ?? ''
  const id = field('JobId')
  if (!/^\d+$/.test(id) || field('JobState') === '') return null
  return {
    id,
    name: field('JobName'),
    state: field('JobState'),
    reason: field('Reason'),
    timeLimit: field('TimeLimit'),
    node: field('BatchHost') || field('NodeList'),
    exitCode: Number(field('ExitCode').split(':')[0]) || 0,
  }
}

/** States of a job that has not ended. */
const LIVE =
  /^(?:PENDING|CONFIGURING|RUNNING|SUSPENDED|STOPPED|SIGNALING|RESIZING|COMPLETING|STAGE_OUT|REQUEUED|REQUEUE_HOLD|REQUEUE_FED|SPECIAL_EXIT)$/

export function isLive({ state }: Job): boolean {
  return LIVE.test(state)
}

/** `by`: who cancelled it, where accounting knows. */
export function stateOf(job: Job, by: string | null = null): PlaceState {
  if (job.state === 'COMPLETING') return { state: 'up', ending: whyEnded(job, by) }
  if (job.state === 'SUSPENDED' || job.state === 'STOPPED') {
    return { state: 'unknown', why: `Slurm has suspended the job ${job.id}; nothing of it runs until it is resumed` }
  }
  if (isLive(job)) return { state: 'up' }
  return { state: 'gone', why: whyEnded(job, by) }
}

function whyEnded(job: Job, by: string | null): string {
  const { id, state, reason, timeLimit, node } = job
  if (state === 'TIMEOUT' || reason === 'TimeLimit') return `the job ${id} reached its time limit of ${timeLimit}`
  if (state === 'PREEMPTED' || reason === 'Preempted') {
    return `the job ${id} was preempted: Slurm gave its resources to a job of higher priority`
  }
  if (state === 'NODE_FAIL' || reason === 'NodeDown')
    return `the node ${node || 'of the job'} failed, and the job ${id} with it`
  if (state === 'BOOT_FAIL') return `the node ${node} did not boot for the job ${id}`
  if (state === 'OUT_OF_MEMORY' || reason === 'OutOfMemory')
    return `the job ${id} used more memory than it had asked for`
  if (state === 'DEADLINE') return `the job ${id} could not end before its deadline`
  if (state === 'CANCELLED') return `the job ${id} was cancelled${by === null ? '' : ` by ${by}`}`
  if (state === 'COMPLETING') return `Slurm is ending the job ${id}`
  if (job.exitCode === EXIT_NO_DIRECTORY) return `the job ${id} could not make its directory on ${node}`
  if (job.exitCode === EXIT_UNUSED) return `the job ${id} ended because no host was started in it`
  if (state === 'FAILED') return `the job ${id} failed on ${node} with exit code ${job.exitCode}`
  return `the job ${id} has ended (${state.toLowerCase()})`
}

/** Reasons why a job waits: what Slurm calls them, what they mean, and whether waiting helps. */
const WAITING: ReadonlyArray<readonly [pattern: RegExp, means: string, passes: boolean]> = [
  [/^(?:None|NonZeroExitCode|)$/, 'it has not been considered yet', true],
  [/^Resources$/, 'what it asks for is in use', true],
  [/^Priority$/, 'jobs of higher priority come first', true],
  [/^(?:BeginTime|Reservation|Licenses|Prolog|Cleaning|NodeDown|Dependency)/, 'it waits for its turn', true],
  [/^JobHeld/, 'it is held', false],
  [/TimeLimit$/, 'it asks for more time than is allowed there', false],
  [/^Partition(?:Node|Config)/, 'it asks for more than the partition has', false],
  [/^PartitionDown|^PartitionInactive/, 'the partition is closed', false],
  [/^(?:InvalidAccount|InvalidQOS|AccountNotAllowed|QOSNotAllowed)/, 'the account or QOS may not be used there', false],
  [/^BadConstraints/, 'no node is as it asks for', false],
  [/PerJob$/, 'it asks for more than a single job may have', false],
  [/^(?:Assoc|QOS|Max)/, 'you use as much as you may at a time', true],
  [/^ReqNodeNotAvail|^Nodes_required/, 'the nodes that it needs are down or reserved', true],
]

export function explainWaiting(reason: string): { why: string; passes: boolean } {
  const plain = reason.replace(/^\(|\)$/g, '')
  const found = WAITING.find(([pattern]) => pattern.test(plain))
  const name = plain === '' || plain === 'None' ? '' : ` (${plain.split(',')[0]})`
  return { why: `${found?.[1] ?? 'Slurm does not say why'}${name}`, passes: found?.[2] ?? true }
}

/** How a job is found again. Numbers begin anew when a controller loses its state. */
export interface JobRef {
  jobId: string
  cluster: string
  spawnId: string
}

export function formatRef({ jobId, cluster, spawnId }: JobRef): string {
  return `${jobId}@${cluster}/${spawnId}`
}

export function parseRef(ref: string): JobRef {
  const [, jobId, cluster, spawnId] = /^(\d+)@([^/]+)\/(.+)$/.exec(ref) ?? []
  if (spawnId === undefined) throw new AoError('PLACE_FAILED', `${ref} does not name a job of Slurm`)
  return { jobId: jobId!, cluster: cluster!, spawnId }
}

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
