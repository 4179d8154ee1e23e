// Places that are containers: each session in one of its own, with Docker or Podman.
import * as z from 'zod/mini'
import { DEVCONTAINER_FILES } from '../../contract/agents/agent-files.ts'
import { exec } from '../../lib/exec.ts'
import { definePlaceEngine } from '../place/define-engine.ts'
import { DEVCONTAINER, devcontainerImage } from './devcontainer.ts'
import { dockerEngine, engineCommand } from './docker-engine.ts'

const capability = z.string().check(z.regex(/^[A-Z_]+$/, 'must be a capability such as NET_RAW, or ALL'))

const options = z.strictObject({
  image: z.string().check(z.regex(/^[^-\s]\S*$/, 'must be the name of an image')),
  command: z.optional(z.string()),
  context: z.optional(z.string()),
  host: z.optional(z.string()),
  cpus: z.optional(z.number().check(z.positive('must be greater than 0'))),
  memory: z.optional(z.string().check(z.regex(/^\d+[bkmg]?$/i, 'must be a size such as 4g'))),
  network: z._default(z.enum(['full', 'model-only', 'none'], 'must be full, model-only or none'), 'full'),
  modelHosts: z.optional(
    z.array(z.string().check(z.regex(/^[\w.-]+(?::\d+)?$/, 'must be names of servers, such as models.example.com'))),
  ),
  user: z.optional(z.string()),
  mounts: z.optional(z.array(z.string())),
  pids: z.optional(z.int().check(z.minimum(16, 'must be at least 16'))),
  capDrop: z.optional(z.array(capability)),
  capAdd: z.optional(z.array(capability)),
  noNewPrivileges: z.optional(z.boolean()),
  graceMs: z._default(z.number().check(z.minimum(0, 'must not be negative')), 3_000),
})

export const plugin = definePlaceEngine({
  manifest: { name: 'docker', description: 'Runs each agent in a container of its own, with Docker or Podman' },
  options,
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
