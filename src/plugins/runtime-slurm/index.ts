// Places that are jobs of a Slurm cluster: a batch job for each session.
import * as z from 'zod/mini'
import { exec } from '../../lib/exec.ts'
import { definePlaceEngine } from '../place/define-engine.ts'
import { slurmEngine } from './slurm-engine.ts'

const word = (what: string) => z.optional(z.string().check(z.regex(/^[^-\s]\S*$/, `must be ${what}`)))

const options = z.strictObject({
  partition: word('the name of a partition'),
  account: word('the name of an account'),
  qos: word('the name of a QOS'),
  time: word("a time as sbatch takes it, such as '8:00:00'"),
  gres: word("resources as sbatch takes them, such as 'gpu:1'"),
  cpus: z.optional(z.int().check(z.minimum(1, 'must be at least 1'))),
  memory: word('a size such as 8G'),
  constraint: word('features of nodes, as sbatch takes them'),
  reservation: word('the name of a reservation'),
  sbatch: z.optional(
    z.array(z.string().check(z.regex(/^--[a-z][a-z-]*(?:=.*)?$/, 'must be an option such as --exclude=node7'))),
  ),
  directory: z._default(z.string().check(z.regex(/^\/[^\s'"]*$/, 'must be an absolute path')), '/tmp'),
  queueSeconds: z._default(z.number().check(z.minimum(1, 'must be at least 1')), 600),
  graceMs: z._default(z.number().check(z.minimum(0, 'must not be negative')), 3_000),
})

export const plugin = definePlaceEngine({
  manifest: { name: 'slurm', description: 'Runs each agent in a job of a Slurm cluster' },
  options,
  engine: (own, { env, home, log, place }) =>
    slurmEngine(own, env, home, (text) => log.warn(`${place?.name ?? 'slurm'}: ${text}`)),
  async detect({ env }) {
    const version = await exec('sinfo', ['--version'], { env, timeoutMs: 3_000 })
    if (version.ok) return { ok: true, detail: version.stdout.trim() }
    return { ok: false, detail: "Slurm's commands are not on PATH", fix: 'Run ao on a login node of the cluster' }
  },
})
