// Places that are jobs of a Slurm cluster: a batch job for each session.
import * as z from 'zod/mini'
import { exec } from '../../lib/exec.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { createPlaceRuntime } from '../place/home/place-runtime.ts'
import { withoutSession } from '../place/home/start-line.ts'
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

export const plugin = definePlugin({
  manifest: { slot: 'runtime', name: 'slurm', description: 'Runs each agent in a job of a Slurm cluster' },
  options,
  create: ({ graceMs, ...engine }, context) => {
    const name = context.place?.name ?? 'slurm'
    const report = (text: string) => context.log.warn(`${name}: ${text}`)
    return createPlaceRuntime({
      engine: slurmEngine(engine, withoutSession(context.env), context.home, report),
      type: 'slurm',
      options: { ...engine },
      name,
      graceMs,
      plugin: context,
    })
  },
  async detect({ env }) {
    const version = await exec('sinfo', ['--version'], { env, timeoutMs: 3_000 })
    if (version.ok) return { ok: true, detail: version.stdout.trim() }
    return { ok: false, detail: "Slurm's commands are not on PATH", fix: 'Run ao on a login node of the cluster' }
  },
})
