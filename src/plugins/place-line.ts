// The line to one session in a place, as a program: `place-line <stateDir> <spawnId>`.
import { ownHome } from '../lib/process/own-home.ts'
import type { PlaceEngine } from '../slots/place.ts'
import type { LineSpec } from './place/home/line-files.ts'
import { runLine } from './place/line/line.ts'
import { type DockerOptions, dockerEngine } from './runtime-docker/docker-engine.ts'
import type { KubernetesOptions } from './runtime-kubernetes/kubernetes-engine.ts'
import { type SlurmOptions, slurmEngine } from './runtime-slurm/slurm-engine.ts'
import { type SshOptions, sshEngine } from './runtime-ssh/ssh-engine.ts'

/** By the name of the runtime plugin. */
const ENGINES: Record<string, (spec: LineSpec, env: NodeJS.ProcessEnv) => PlaceEngine | Promise<PlaceEngine>> = {
  docker: ({ options }, env) => dockerEngine(options as unknown as DockerOptions, env, ownHome(env)),
  kubernetes: async ({ options }, env) => {
    const { kubernetesEngine } = await import('./runtime-kubernetes/kubernetes-engine.ts')
    return kubernetesEngine(options as unknown as KubernetesOptions, env, ownHome(env))
  },
  slurm: ({ options }, env) => slurmEngine(options as unknown as SlurmOptions, env, ownHome(env)),
  ssh: ({ options }, env) => sshEngine(options as unknown as SshOptions, env, ownHome(env)),
}

const [stateDir = '', spawnId = ''] = process.argv.slice(2)
await runLine(stateDir, spawnId, async (spec) => {
  const make = ENGINES[spec.engine]
  if (!make) throw new Error(`no engine is called ${spec.engine}`)
  return make(spec, process.env)
})
