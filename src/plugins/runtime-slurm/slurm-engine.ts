// Slurm as an engine of places: a batch job for each session, and steps of that job as channels. The user's own commands
// (sbatch, srun, scontrol, squeue, scancel) say which cluster and who.
import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { AoError, errorText } from '../../contract/errors.ts'
import { sleep } from '../../lib/clock.ts'
import { exec } from '../../lib/exec.ts'
import type { PlaceEngine, PlaceState, StartedPlace } from '../../slots/place.ts'
import { programChannel } from '../place/reach/program-channel.ts'
import { jobDirectory, jobScript, LAUNCH } from './job-script.ts'
import {
  explainWaiting,
  failure,
  formatRef,
  isLive,
  type Job,
  type JobRef,
  parseRef,
  readJob,
  stateOf,
  stillWaiting,
  unreachable,
} from './job-states.ts'
import { slurmSeconds } from './slurm-time.ts'

const word = (what: string) => z.optional(z.string().check(z.regex(/^[^-\s]\S*$/, `must be ${what}`)))

export const slurmOptions = z.strictObject({
  partition: word('the name of a partition'),
  account: word('the name of an account'),
  qos: word('the name of a QOS'),
  time: word("a time as sbatch takes it, such as '8:00:00'"),
  gres: word("resources as sbatch takes them, such as 'gpu:1'"),
  cpus: z.optional(z.int().check(z.minimum(1, 'must be at least 1'))),
  memory: word('a size such as 8G'),
  constraint: word('features of nodes, as sbatch takes them'),
  reservation: word('the name of a reservation'),
  /** More for sbatch, each in the form --name=value. */
  sbatch: z.optional(
    z.array(z.string().check(z.regex(/^--[a-z][a-z-]*(?:=.*)?$/, 'must be an option such as --exclude=node7'))),
  ),
  /** On the node's own disk. */
  directory: z._default(z.string().check(z.regex(/^\/[^\s'"]*$/, 'must be an absolute path')), '/tmp'),
  queueSeconds: z._default(z.number().check(z.minimum(1, 'must be at least 1')), 600),
  graceMs: z._default(z.number().check(z.minimum(0, 'must not be negative')), 3_000),
})

export type SlurmOptions = Omit<z.infer<typeof slurmOptions>, 'graceMs'>

const WATCH_MS = [200, 500, 1_000, 2_000, 5_000]
/** Longer than KillWait. */
const STOP_MS = 60_000
/** What Slurm's commands see of home, because they copy all of it into the job: no tokens. */
const SEEN = /^(?:HOME|USER|LOGNAME|SHELL|PATH|TZ|LANG|LC_.*|SLURM_.*|SBATCH_.*|MUNGE_.*)$/

export function slurmEngine(
  options: SlurmOptions,
  everything: NodeJS.ProcessEnv,
  home: string,
  report: (text: string) => void = () => undefined,
): PlaceEngine {
  const env = Object.fromEntries(Object.entries(everything).filter(([name]) => SEEN.test(name)))
  /** Several homes may share a user of the cluster. */
  const owner = createHash('sha256').update(home).digest('hex').slice(0, 12)
  const run = (program: string, args: string[], input?: string) =>
    exec(program, args, { env, timeoutMs: 30_000, input })

  let cached: Promise<string> | null = null
  function cluster(): Promise<string> {
    cached ??= askCluster().catch((error) => {
      cached = null
      throw error
    })
    return cached
  }

  async function askCluster(): Promise<string> {
    const config = await run('scontrol', ['show', 'config'])
    const name = /^ClusterName\s*=\s*(\S+)/m.exec(config.stdout)?.[1]
    if (!config.ok || name === undefined) throw failure(config)
    return name
  }

  /** null is a proof: the cluster of this job knows it no more. A job of the same number that is not ours is another one. */
  async function find({ jobId, cluster: where, spawnId }: JobRef): Promise<Job | null> {
    if ((await cluster()) !== where)
      throw unreachable(`The job ${jobId} is in the cluster ${where}, and this is ${await cluster()}`)
    const shown = await run('scontrol', ['--oneliner', 'show', 'job', jobId])
    if (!shown.ok) {
      if (/invalid job id/i.test(shown.stderr + shown.stdout)) return null
      throw failure(shown)
    }
    const job = readJob(shown.stdout.trim())
    if (job === null) throw unreachable(`Slurm's answer about the job ${jobId} could not be read`)
    return job.name.endsWith(`.${spawnId}.${owner}`) ? job : null
  }

  /** What every job asks for. */
  const wanted: Record<string, string | number | undefined> = {
    ...{ partition: options.partition, account: options.account, qos: options.qos, time: options.time },
    ...{ gres: options.gres, 'cpus-per-task': options.cpus, mem: options.memory },
    ...{ constraint: options.constraint, reservation: options.reservation },
  }
  const limits = Object.entries(wanted).flatMap(([key, value]) => (value === undefined ? [] : [`--${key}=${value}`]))

  async function submit({ name, spawnId }: { name: string; spawnId: string }): Promise<JobRef> {
    const where = await cluster()
    // Its name is the mark by which it is found again, whatever happens to us from here on.
    const mark = [
      `--job-name=ao-${name}.${spawnId}.${owner}`,
      '--nodes=1',
      '--ntasks=1',
      '--no-requeue',
      '--chdir=/tmp',
    ]
    const quiet = ['--parsable', '--input=/dev/null', '--output=/dev/null', '--error=/dev/null', '--export=ALL']
    const submitted = await run(
      'sbatch',
      [...mark, ...quiet, ...limits, ...(options.sbatch ?? [])],
      jobScript(options.directory, spawnId),
    )
    const jobId = /^(\d+)/.exec(submitted.stdout.trim())?.[1]
    if (!submitted.ok || jobId === undefined) throw failure(submitted)
    return { jobId, cluster: where, spawnId }
  }

  /** Until it runs. Throws with Slurm's reason when it will not. */
  async function untilRunning(ref: JobRef): Promise<void> {
    const until = performance.now() + options.queueSeconds * 1000
    let output = ''
    for (let attempt = 0; ; attempt++) {
      const job = await find(ref)
      if (job?.state === 'RUNNING') return
      if (job === null || !isLive(job) || job.state === 'COMPLETING') {
        const state = job === null ? null : stateOf(job)
        throw new AoError(
          'PLACE_FAILED',
          state && 'why' in state ? state.why : `the job ${ref.jobId} ended before it began`,
        )
      }
      const { why, passes } = explainWaiting(job.reason)
      const isLate = performance.now() > until
      if (job.state === 'PENDING' && (isLate || !passes)) throw stillWaiting(job, why, passes, options.queueSeconds)
      const isNews = job.state === 'PENDING' && job.reason !== 'None' && why !== output
      if (isNews) report(`the job ${job.id} waits in Slurm's queue: ${why}`)
      if (isNews) output = why
      await sleep(WATCH_MS[Math.min(attempt, WATCH_MS.length - 1)]!)
    }
  }

  async function cancel(ref: JobRef): Promise<void> {
    const until = performance.now() + STOP_MS
    for (let attempt = 0; ; attempt++) {
      const job = await find(ref)
      if (job === null || !isLive(job)) return
      if (job.state !== 'COMPLETING') {
        const cancelled = await run('scancel', [ref.jobId])
        if (!cancelled.ok && !/invalid job id|already complet/i.test(cancelled.stderr)) throw failure(cancelled)
      }
      if (performance.now() > until) {
        throw unreachable(`Slurm has not ended the job ${ref.jobId} yet: its node ${job.node} may not answer`)
      }
      await sleep(Math.min(100 * (attempt + 1), 1_000))
    }
  }

  return {
    async start(launch) {
      const ref = await submit(launch)
      try {
        await untilRunning(ref)
      } catch (error) {
        await cancel(ref).catch((left) => report(`the job ${ref.jobId} could not be cancelled: ${errorText(left)}`))
        throw error
      }
      return formatRef(ref)
    },
    async channel(ref, command) {
      const { jobId } = parseRef(ref)
      const step = ['srun', '--overlap', `--jobid=${jobId}`, '--nodes=1', '--ntasks=1', '--mem=0', '--chdir=/tmp']
      const streams = ['--unbuffered', '--quiet', '--mpi=none', '--immediate=20', '--export=ALL']
      // Devices belong to the agent; a channel that asked for them would wait for them.
      const devices = options.gres === undefined ? [] : ['--gres=none']
      return programChannel([...step, ...streams, ...devices, ...command], env)
    },
    sessions: (ref) => jobDirectory(options.directory, parseRef(ref).spawnId),
    outlasting: (ref) => ['sh', '-c', LAUNCH, 'sh', jobDirectory(options.directory, parseRef(ref).spawnId)],
    async probe(ref): Promise<PlaceState> {
      const parsed = parseRef(ref)
      const job = await find(parsed)
      if (job !== null && isLive(job) && job.state !== 'COMPLETING') return stateOf(job)
      const accounted = await askAccounting(parsed)
      if (job !== null) return stateOf(job, accounted?.by ?? null)
      if (accounted?.job) return stateOf(accounted.job, accounted.by)
      return { state: 'gone', why: `Slurm no longer knows the job ${parsed.jobId}; it has ended` }
    },
    async list() {
      const where = await cluster()
      const listed = await run('squeue', ['--me', '--noheader', '--format=%A %j'])
      if (!listed.ok) throw failure(listed)
      return listed.stdout.split('\n').flatMap((line): StartedPlace[] => {
        const [, jobId, name, spawnId, whose] = /^(\d+) ao-(.+)\.([^.]+)\.([0-9a-f]{12})\s*$/.exec(line) ?? []
        if (whose !== owner) return []
        return [
          { ref: formatRef({ jobId: jobId!, cluster: where, spawnId: spawnId! }), name: name!, spawnId: spawnId! },
        ]
      })
    },
    stop: (ref) => cancel(parseRef(ref)),
    async check() {
      const where = await cluster()
      const wanted = options.partition === undefined ? [] : [`--partition=${options.partition}`]
      const nodes = await run('sinfo', ['--noheader', '--format=%P %a %D %T %l', ...wanted])
      if (!nodes.ok) throw failure(nodes)
      const lines = nodes.stdout.split('\n').filter((line) => line.trim() !== '')
      if (lines.length === 0) {
        throw new AoError(
          'PLACE_FAILED',
          `The cluster ${where} has no partition ${options.partition ?? ''}`.trimEnd(),
          {
            hint: 'List the partitions with: sinfo --summarize',
          },
        )
      }
      // Slurm may queue such a job and never start it.
      requirePartition(lines.map((line) => line.trim().split(/\s+/)))
      // What no node has (CPUs, memory, devices) is said without a job.
      const shape = ['--test-only', '--nodes=1', '--ntasks=1', '--chdir=/tmp']
      const tested = await run('sbatch', [...shape, ...limits, ...(options.sbatch ?? [])], '#!/bin/sh\ntrue\n')
      if (!tested.ok) throw failure(tested)
      const text = lines
        .map((line) => line.trim().split(/\s+/))
        .map(([name, , count, state]) => `${name} ${count} ${state}`)
      return `Slurm cluster ${where}: ${text.join(', ')}`
    },
  }

  function requirePartition(rows: string[][]): void {
    const refuse = (message: string): never => {
      throw new AoError('PLACE_FAILED', message, { hint: 'See what the partitions allow with: sinfo --summarize' })
    }
    const usual = rows.filter(([name = '']) => options.partition !== undefined || name.endsWith('*'))
    const [name = '', state = '', , , limit = ''] = usual[0] ?? []
    if (name === '') return
    if (state !== 'up') refuse(`The partition ${name} starts no jobs now: it is ${state}`)
    const [wants, most] = [slurmSeconds(options.time ?? ''), slurmSeconds(limit)]
    if (wants !== null && most !== null && wants > most)
      refuse(`The partition ${name} allows jobs of at most ${limit}, and the place asks for ${options.time}`)
  }

  /** Where the site keeps accounts: how a job ended that the controller has forgotten, and who cancelled it. */
  async function askAccounting({ jobId, spawnId }: JobRef): Promise<{ job: Job | null; by: string | null } | null> {
    const format = '--format=JobIDRaw,State%60,Timelimit,NodeList%60,ExitCode,JobName%300'
    const result = await run('sacct', ['--noheader', '--parsable2', '--allocations', `--jobs=${jobId}`, format])
    if (!result.ok) return null
    for (const line of result.stdout.split('\n')) {
      const [id, state = '', timeLimit = '', node = '', exit = '', name = ''] = line.trim().split('|')
      if (id !== jobId || !name.endsWith(`.${spawnId}.${owner}`)) continue
      const [word = '', , who] = state.split(' ')
      const job = { id, name, state: word, reason: '', timeLimit, node, exitCode: Number.parseInt(exit, 10) || 0 }
      return { job, by: who === undefined ? null : `user ${who}` }
    }
    return null
  }
}
