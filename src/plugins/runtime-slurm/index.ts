// Places that are jobs of a Slurm cluster: a batch job for each session.
import { exec } from '../../lib/exec.ts'
import { definePlaceEngine } from '../place/define-engine.ts'
import { slurmEngine, slurmOptions } from './slurm-engine.ts'

export const plugin = definePlaceEngine({
  manifest: { name: 'slurm', description: 'Runs each agent in a job of a Slurm cluster' },
  options: slurmOptions,
  engine: (own, { env, home, log, place }) =>
    slurmEngine(own, env, home, (text) => log.warn(`${place?.name ?? 'slurm'}: ${text}`)),
  async detect({ env }) {
    const version = await exec('sinfo', ['--version'], { env, timeoutMs: 3_000 })
    if (version.ok) return { ok: true, detail: version.stdout.trim() }
    return { ok: false, detail: "Slurm's commands are not on PATH", fix: 'Run ao on a login node of the cluster' }
  },
})
