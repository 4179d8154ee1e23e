// Docker or Podman as an engine of places: a container for each session, started and reached with the command line that the
// user has. It brings contexts (also ssh://), credentials and Podman without any code of ours.
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { AoError } from '../../contract/errors.ts'
import { type ExecResult, exec } from '../../lib/exec.ts'
import { findExecutable } from '../../lib/find-executable.ts'
import { withLock } from '../../lib/lock.ts'
import type { PlaceEngine, PlaceState, StartedPlace } from '../../slots/place.ts'
import { holdPlace } from '../place/reach/hold-place.ts'
import { programChannel } from '../place/reach/program-channel.ts'
import { DEVCONTAINER } from './devcontainer.ts'
import { explainFailure, foreignImage, isForeign, lastLine } from './explain-failure.ts'

const capability = z.string().check(z.regex(/^[A-Z_]+$/, 'must be a capability such as NET_RAW, or ALL'))

export const dockerOptions = z.strictObject({
  image: z.string().check(z.regex(/^[^-\s]\S*$/, 'must be the name of an image')),
  command: z.optional(z.string()),
  context: z.optional(z.string()),
  host: z.optional(z.string()),
  cpus: z.optional(z.number().check(z.positive('must be greater than 0'))),
  memory: z.optional(z.string().check(z.regex(/^\d+[bkmg]?$/i, 'must be a size such as 4g'))),
  /** `model-only`: none of its own; home connects to the servers of models (place/line/connect-model.ts). */
  network: z._default(z.enum(['full', 'model-only', 'none'], 'must be full, model-only or none'), 'full'),
  modelHosts: z.optional(
    z.array(z.string().check(z.regex(/^[\w.-]+(?::\d+)?$/, 'must be names of servers, such as models.example.com'))),
  ),
  user: z.optional(z.string()),
  mounts: z.optional(z.array(z.string())),
  pids: z.optional(z.int().check(z.minimum(16, 'must be at least 16'))),
  capDrop: z.optional(z.array(capability)),
  capAdd: z.optional(z.array(capability)),
  /** false: programs such as sudo work in it. */
  noNewPrivileges: z.optional(z.boolean()),
  graceMs: z._default(z.number().check(z.minimum(0, 'must not be negative')), 3_000),
})

export type DockerOptions = Omit<z.infer<typeof dockerOptions>, 'graceMs' | 'modelHosts'>

const START_MS = 600_000
/** The host's files, for all containers of one home on this engine. Only the engine itself writes there. */
const SHARED = '/opt/ao-host'
const PUT_MS = 600_000

/** A fork bomb ends at its own container. */
const PIDS = 4096
/** What an agent that installs packages and runs tests does not need. */
const DROPPED = ['AUDIT_WRITE', 'MKNOD', 'NET_RAW', 'SETFCAP', 'SETPCAP', 'SYS_CHROOT']

/** What the engine gives a container to end by itself. */
const STOP_SECONDS = 10

/** Of a container without a host: its creator died. */
const UNUSED_SECONDS = 180

/** The engine's command, with its context or socket. */
export function engineCommand(options: DockerOptions, env: NodeJS.ProcessEnv): string[] {
  const program = options.command ?? (findExecutable('docker', { env }) ? 'docker' : 'podman')
  const isPodman = /podman[^/]*$/.test(program)
  return [
    program,
    ...(options.context === undefined ? [] : ['--context', options.context]),
    ...(options.host === undefined ? [] : [isPodman ? '--url' : '--host', options.host]),
  ]
}

export function dockerEngine(options: DockerOptions, env: NodeJS.ProcessEnv, home: string): PlaceEngine {
  const base = engineCommand(options, env)
  /** Several users, or homes, may share an engine. */
  const owner = createHash('sha256').update(home).digest('hex').slice(0, 12)
  const failure = (result: ExecResult) => explainFailure(result, { engine: base.join(' '), image: options.image })
  const run = (args: string[], timeoutMs = 30_000) => exec(base[0]!, [...base.slice(1), ...args], { env, timeoutMs })

  const volume = `ao-host-${owner}`
  /**
   * Into a container that is never started, by the engine: no program of an image runs with a right to write there, and with
   * `nocopy` no file of an image gets there either.
   */
  async function putFiles(tar: Buffer): Promise<void> {
    const box = ['--volume', `${volume}:${SHARED}:nocopy`, '--network', 'none', '--label', 'ao.files=host']
    const made = await run(['create', ...box, '--entrypoint', 'true', options.image], START_MS)
    if (!made.ok) throw failure(made)
    const ref = made.stdout.trim().split('\n').at(-1)!
    const how = { env, timeoutMs: PUT_MS, input: tar }
    const copied = await exec(base[0]!, [...base.slice(1), 'cp', '-', `${ref}:${SHARED}`], how)
    await run(['rm', '--force', ref])
    if (!copied.ok) throw failure(copied)
  }

  async function requireGit(): Promise<void> {
    const box = [
      'run',
      '--rm',
      '--network',
      'none',
      '--entrypoint',
      'sh',
      options.image,
      '-c',
      'command -v git >/dev/null 2>&1 && echo yes || echo none',
    ]
    const found = await run(box)
    if (!found.ok) throw failure(found)
    // Not by its exit code: Podman's socket answers 0 for every container that is removed at its end.
    if (found.stdout.trim() !== 'none') return
    throw new AoError('PLACE_FAILED', `git is not installed in the image ${options.image}`, {
      hint: 'Install git in it; with a shell and sha256sum it is all that ao needs',
    })
  }

  return {
    async start({ name, spawnId }) {
      const limits = [
        ...['--pids-limit', String(options.pids ?? PIDS)],
        ...(options.noNewPrivileges === false ? [] : ['--security-opt', 'no-new-privileges']),
        ...(options.capDrop ?? DROPPED).flatMap((name) => ['--cap-drop', name]),
        ...(options.capAdd ?? []).flatMap((name) => ['--cap-add', name]),
        ...(options.cpus === undefined ? [] : ['--cpus', String(options.cpus)]),
        ...(options.memory === undefined ? [] : ['--memory', options.memory]),
        ...(options.network === 'full' ? [] : ['--network', 'none']),
        ...(options.user === undefined ? [] : ['--user', options.user]),
        ...(options.mounts ?? []).flatMap((mount) => ['--volume', mount]),
      ]
      const labels = { 'ao.owner': owner, 'ao.name': name, 'ao.spawn': spawnId }
      const started = await run(
        [
          ...[
            'run',
            '--detach',
            '--name',
            `ao-${name}-${spawnId.slice(0, 8)}`,
            '--volume',
            `${volume}:${SHARED}:ro,nocopy`,
          ],
          // Podman's socket kills at once without it, and the work would be lost (place/far/serve.ts).
          ...['--stop-timeout', String(STOP_SECONDS)],
          ...Object.entries(labels).flatMap(([key, value]) => ['--label', `${key}=${value}`]),
          ...limits,
          ...['--entrypoint', 'sh', options.image, '-c', holdPlace(UNUSED_SECONDS)],
        ],
        START_MS,
      )
      if (started.ok) return started.stdout.trim().split('\n').at(-1)!.slice(0, 12)
      await run(['rm', '--force', `ao-${name}-${spawnId.slice(0, 8)}`])
      throw failure(started)
    },
    channel: async (ref, command) => programChannel([...base, 'exec', '--interactive', ref, ...command], env),
    shared: {
      directory: SHARED,
      async put(tar, isThere) {
        const run = join(home, '.ao', 'run')
        mkdirSync(run, { recursive: true, mode: 0o700 })
        const write = async () => {
          if (!(await isThere())) await putFiles(tar())
        }
        await withLock(join(run, `${volume}.lock`), write, { timeoutMs: PUT_MS })
      },
    },
    async probe(ref): Promise<PlaceState> {
      const found = await run([
        'inspect',
        '--format',
        '{{.State.Status}} {{.State.ExitCode}} {{.State.OOMKilled}}',
        ref,
      ])
      if (!found.ok) {
        if (/no such (?:object|container)|no container with/i.test(found.stderr)) {
          return { state: 'gone', why: `the container ${ref} no longer exists` }
        }
        return { state: 'unknown', why: lastLine(found) }
      }
      const [status = '', code = '', oom = ''] = found.stdout.trim().split(' ')
      if (status === 'exited' || status === 'dead') {
        const logs = await run(['logs', '--tail', '3', ref])
        if (isForeign(`${logs.stdout}${logs.stderr}`)) return { state: 'gone', why: foreignImage(options.image) }
        return { state: 'gone', why: `the container stopped ${oom === 'true' ? 'for lack of memory' : `with ${code}`}` }
      }
      return { state: 'up' }
    },
    async list() {
      const format = '{{.ID}} {{.Label "ao.name"}} {{.Label "ao.spawn"}}'
      const listed = await run(['ps', '--all', '--filter', `label=ao.owner=${owner}`, '--format', format])
      if (!listed.ok) throw failure(listed)
      return listed.stdout.split('\n').flatMap((line): StartedPlace[] => {
        const [ref, name, spawnId] = line.trim().split(' ')
        return spawnId === undefined ? [] : [{ ref: ref!.slice(0, 12), name: name!, spawnId }]
      })
    },
    async stop(ref) {
      const removed = await run(['rm', '--force', '--volumes', ref], 60_000)
      if (!removed.ok && !/no such container|no container with/i.test(removed.stderr)) throw failure(removed)
    },
    async check() {
      const version = await run(['version', '--format', '{{.Server.Version}}'])
      if (!version.ok) throw failure(version)
      const engine = `${base[0]} ${version.stdout.trim()}`
      if (options.image === DEVCONTAINER) return `${engine}, image by the repository's .devcontainer`
      const image = await run(['image', 'inspect', '--format', '{{.Id}}', options.image])
      if (!image.ok) {
        // As the first session would: whether it can be had is known only then.
        const pulled = await run(['pull', options.image], START_MS)
        if (!pulled.ok) throw failure(pulled)
      }
      await requireGit()
      return `${engine}, image ${options.image} ${image.ok ? 'is here' : 'was pulled'}, with git`
    },
  }
}
