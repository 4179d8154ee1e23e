// `image: devcontainer`: the image that the repository's .devcontainer/devcontainer.json names, or that is built of its Dockerfile. The
// manager has asked for the user's consent to all of that directory before.
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { type DevcontainerImage, readDevcontainer } from '../../core/place/read-devcontainer.ts'
import { type ExecResult, exec } from '../../lib/exec.ts'
import { readBytes, readIfThere } from '../../lib/plain-file.ts'
import { explainFailure } from './explain-failure.ts'

export const DEVCONTAINER = 'devcontainer'

const BUILD_MS = 30 * 60_000

interface Engine {
  /** The engine's command with its context or socket. */
  base: readonly string[]
  env: NodeJS.ProcessEnv
  /** For the build. */
  network: 'full' | 'none'
}

/** Resolves with the name of the image, which exists if it had to be built. */
export async function devcontainerImage(
  engine: Engine,
  workspace: string,
  onNotice: (line: string) => void,
): Promise<string> {
  const file = ['.devcontainer/devcontainer.json', '.devcontainer.json'].find(
    (path) => readIfThere(join(workspace, path), { noFollow: true }) !== null,
  )
  if (file === undefined) throw unusable('there is no .devcontainer/devcontainer.json in the repository')
  const read = readDevcontainer(readIfThere(join(workspace, file), { noFollow: true }) ?? '')
  if (!read.ok) throw unusable(`${file}: ${read.why}`)
  if (read.leftOut.length > 0) onNotice(`Not used of ${file}: ${read.leftOut.join(', ')}; see docs/places.md`)
  const { source } = read
  if (source.kind === 'image') return source.image
  if (!file.startsWith('.devcontainer/')) throw unusable(`${file} builds an image of the whole repository`)
  return build(engine, join(workspace, dirname(file)), source)
}

/** The same content is built once. */
async function build(
  { base, env, network }: Engine,
  directory: string,
  { dockerfile, context, args, target }: Extract<DevcontainerImage, { kind: 'build' }>,
): Promise<string> {
  const [program = '', ...fixed] = base
  const image = `ao-devcontainer:${contentHash(directory)}`
  const run = (more: string[], timeoutMs: number, own = env) =>
    exec(program, [...fixed, ...more], { env: own, timeoutMs })
  if ((await run(['image', 'inspect', '--format', '{{.Id}}', image], 30_000)).ok) return image
  const options = [
    ...Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    ...(target === null ? [] : ['--target', target]),
    ...(network === 'none' ? ['--network', 'none'] : []),
  ]
  const command = ['build', '--tag', image, '--file', join(directory, dockerfile), ...options, join(directory, context)]
  let built = await run(command, BUILD_MS)
  // Not everybody has BuildKit; every docker has the classic builder.
  if (/buildx component is missing/.test(built.stderr))
    built = await run(command, BUILD_MS, { ...env, DOCKER_BUILDKIT: '0' })
  if (built.ok) return image
  throw failedBuild(built, base.join(' '), image, directory)
}

function failedBuild(result: ExecResult, engine: string, image: string, directory: string): AoError {
  if (result.startError || /cannot connect|permission denied while|failed to connect/i.test(result.stderr)) {
    return explainFailure(result, { engine, image })
  }
  const last = (result.stderr || result.stdout).trim().split('\n').at(-1) ?? ''
  const why = result.timedOut ? 'it took longer than half an hour' : last
  return new AoError('PLACE_FAILED', `The image of .devcontainer could not be built: ${why}`, {
    hint: `See all of it with: ${engine} build ${directory}`,
    details: { stderr: result.stderr.slice(-4_000) },
  })
}

function contentHash(directory: string): string {
  const hash = createHash('sha256')
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
  for (const path of files
    .flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []))
    .toSorted()) {
    hash.update(`${path.slice(directory.length)}\0`).update(createHash('sha256').update(readBytes(path)).digest())
  }
  return hash.digest('hex').slice(0, 16)
}

function unusable(why: string): AoError {
  return new AoError('PLACE_FAILED', `\`image: devcontainer\` cannot be used: ${why}`, {
    hint: 'Build an image yourself and name it with `image`',
  })
}
