// Places that are containers: each session in one of its own, with Docker or Podman.
import { DEVCONTAINER_FILES } from '../../contract/agents/agent-files.ts'
import { exec } from '../../lib/exec.ts'
import { definePlaceEngine } from '../place/define-engine.ts'
import { DEVCONTAINER, devcontainerImage } from './devcontainer.ts'
import { dockerEngine, dockerOptions, engineCommand } from './docker-engine.ts'

export const plugin = definePlaceEngine({
  manifest: { name: 'docker', description: 'Runs each agent in its own container, with Docker or Podman' },
  options: dockerOptions,
  engine: (own, { env, home }) => dockerEngine(own, env, home),
  modelHosts: ({ network, modelHosts }) => (network === 'model-only' ? (modelHosts ?? []) : undefined),
  repositoryFiles: ({ image }) => (image === DEVCONTAINER ? DEVCONTAINER_FILES : undefined),
  async prepare(own, { workspacePath, away }, { env }) {
    if (own.image !== DEVCONTAINER) return own
    const network = own.network === 'none' ? ('none' as const) : ('full' as const)
    const how = { base: engineCommand(own, env), env, network }
    return { ...own, image: await devcontainerImage(how, workspacePath, (line) => away?.onNotice(line)) }
  },
  async detect({ env }) {
    for (const program of ['docker', 'podman']) {
      const version = await exec(program, ['version', '--format', '{{.Server.Version}}'], { env, timeoutMs: 3_000 })
      if (version.ok) return { ok: true, detail: `${program} ${version.stdout.trim()}` }
    }
    return { ok: false, detail: 'neither Docker nor Podman answers', fix: 'Install one of them, or start its service' }
  },
})
