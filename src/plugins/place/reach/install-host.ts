// Brings the host to a place: asks what is there, sends what is missing, checks it by its hash, renames it into place.

import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { AoError } from '../../../contract/errors.ts'
import { writeTar } from '../../../core/text/tar.ts'
import { MAX_FOREIGN_BYTES, readBytes } from '../../../lib/plain-file.ts'
import { smallNode } from '../../../lib/process/detached-host.ts'
import type { Channel, PlaceEngine } from '../../../slots/place.ts'
import { runThere, type ThereResult } from './run-there.ts'

export interface InstalledHost {
  /** argv that runs the host's program there. */
  host: string[]
  /** argv of a channel to a host. Absent in files of older versions: their host's program does it. */
  connect?: string[] | undefined
  /** For sessions, absolute. */
  directory: string
}

/** Prints: directory, system, processor, node with its version, git. `$1`: a directory that all places share, or nothing. */
const PROBE = `umask 077
d=\${HOME:-/tmp}; [ "$d" = / ] && d=/tmp; d=$d/.ao-place
mkdir -p "$d/s" 2>/dev/null && [ -w "$d/s" ] || { d=/tmp/.ao-place-$(id -u); mkdir -p "$d/s"; }
cd "$d" || exit 1
pwd -P; uname -s; uname -m
command -v node >/dev/null 2>&1 && node -p 'process.execPath+" "+process.versions.node' 2>/dev/null || echo -
command -v git >/dev/null 2>&1 && git --version || echo -
ls "\${1:-$d}"`

const MIN_NODE = 22

export async function installHost(engine: PlaceEngine, ref: string): Promise<InstalledHost> {
  const probed = await runThere(await engine.channel(ref, ['sh', '-c', PROBE, 'sh', engine.shared?.directory ?? '']))
  if (!probed.ok) {
    // A place that did not stay: the engine knows why.
    const place = await engine.probe(ref).catch(() => null)
    if (place?.state === 'gone') throw unusable(place.why)
    throw unusable(`a shell there failed: ${probed.stderr || `exit code ${probed.exitCode}`}`)
  }
  const [directory = '', system = '', machine = '', node = '-', git = '-', ...there] = probed.stdout.trim().split('\n')
  if (system !== 'Linux') throw unusable(`it runs ${system || 'an unknown system'}, and ao needs Linux there`)
  if (git === '-') throw unusable('git is not installed there', 'Install git there; it is all that ao needs')
  const arch = machine === 'x86_64' ? 'x64' : machine === 'aarch64' ? 'arm64' : machine
  const base = engine.shared?.directory ?? directory
  const [program = '', version = ''] = node.split(' ')
  const hasNode = Number.parseInt(version, 10) >= MIN_NODE
  const sets = [hostSet(arch), ...(hasNode ? [] : [nodeSet(arch)])]
  for (const set of sets) {
    if (engine.shared) {
      const isThere = async () => (await listThere(engine, ref, base)).includes(endOf(set))
      if (!there.includes(endOf(set))) await engine.shared.put(() => tarOf(set), isThere)
    } else if (!there.includes(set.name)) await send(engine, ref, base, set)
  }
  const nodeThere = hasNode ? program : `${base}/${sets[1]!.name}/node`
  const files = `${base}/${sets[0]!.name}`
  const host = [nodeThere, '--max-old-space-size=256', `${files}/host.js`]
  const connect = [nodeThere, ...smallNode(32), `${files}/connect.cjs`]
  if (!hasNode) await tryNode(engine, ref, nodeThere)
  return { host, connect, directory: engine.sessions?.(ref) ?? directory }
}

/** A program for another C library cannot be started, and says so in confusing words. */
async function tryNode(engine: PlaceEngine, ref: string, node: string): Promise<void> {
  const tried = await runThere(await engine.channel(ref, [node, '--version']))
  if (tried.ok) return
  throw unusable(`the Node.js that ao sent there does not run: ${tried.stderr}`, 'Install Node.js 22 or newer there')
}

/** What a script prints at the end of its success. Podman's socket answers exit code 0 for every container that it removes. */
const DONE = 'done'

const SEND = `umask 022
mkdir -p "$1" && cat > "$1/$2" && set -- "$1" "$2" "$3" "$4" $(sha256sum "$1/$2") && [ "$5" = "$3" ] && chmod "$4" "$1/$2" && echo ${DONE}`

async function listThere(engine: PlaceEngine, ref: string, directory: string): Promise<string[]> {
  return (await runThere(await engine.channel(ref, ['ls', directory]))).stdout.split('\n')
}

/** The last entry of a set's tar: with it all of them are there. */
function endOf({ name }: HostSet): string {
  return `${name}.whole`
}

function tarOf(set: HostSet): Buffer {
  const none = new Uint8Array(0)
  return Buffer.concat(
    writeTar([
      { name: `${set.name}/`, bytes: none, mode: 0o755 },
      ...set.files().map(({ name, bytes, mode }) => ({ name: `${set.name}/${name}`, bytes, mode })),
      { name: endOf(set), bytes: none, mode: 0o644 },
    ]),
  )
}

async function send(engine: PlaceEngine, ref: string, base: string, set: HostSet): Promise<void> {
  const run = (command: string[]): Promise<Channel> => engine.channel(ref, command)
  const unfinished = `${base}/.${set.name}.${process.pid}.${Date.now()}`
  for (const file of set.files()) await sendFile(run, unfinished, file)
  // Somebody else may have been faster with the same files.
  const moved = await runThere(
    await run([
      'sh',
      '-c',
      `mv "$1" "$2" 2>/dev/null; rm -rf "$1"; [ -d "$2" ] && echo ${DONE}`,
      'sh',
      unfinished,
      `${base}/${set.name}`,
    ]),
  )
  if (!isDone(moved)) throw unusable(`the host's files could not be put in place: ${moved.stderr}`)
}

async function sendFile(
  run: (command: string[]) => Promise<Channel>,
  directory: string,
  file: HostFile,
): Promise<void> {
  const command = ['sh', '-c', SEND, 'sh', directory, file.name, file.sha256, file.mode.toString(8)]
  const sent = await runThere(await run(command), { input: Readable.from([file.bytes]), timeoutMs: 600_000 })
  if (!isDone(sent)) throw unusable(`${file.name} did not arrive whole: ${sent.stderr || 'its hash differs'}`)
}

function isDone({ ok, stdout }: ThereResult): boolean {
  return ok && stdout.trim() === DONE
}

function unusable(why: string, hint?: string): AoError {
  return new AoError('PLACE_FAILED', `The place cannot be used: ${why}`, { hint })
}

// The host as it is sent to a place: one bundled file, the native part of its terminal, and a Node where there is none.

interface HostFile {
  name: string
  bytes: Buffer
  mode: number
  sha256: string
}

/** Files that belong together; the name changes with their content. */
interface HostSet {
  name: string
  files(): HostFile[]
}

const BUNDLES = ['far/host.js', 'far/connect.cjs', 'far/demo-agent.js', 'far/demo-agent-acp.js']

export function hostSet(arch: string): HostSet {
  const files = [
    ...BUNDLES.map((path) => hostFile(basename(path), readBundle(path), 0o644)),
    hostFile('package.json', Buffer.from('{"type":"module"}\n'), 0o644),
    hostFile('pty.node', readTerminalModule(arch), 0o644),
  ]
  const hash = createHash('sha256')
  for (const { name, sha256 } of files) hash.update(`${name} ${sha256}\n`)
  return { name: `host-${hash.digest('hex').slice(0, 16)}-${arch}`, files: () => files }
}

/** Ours, where the place has the same kind of processor. */
function nodeSet(arch: string): HostSet {
  return {
    name: `node-${process.version}-${arch}`,
    files() {
      if (process.platform !== 'linux' || arch !== process.arch) {
        throw new AoError('PLACE_FAILED', `The place has no Node.js, and ao has none for linux ${arch} to send there`, {
          hint: 'Install Node.js 22 or newer there',
        })
      }
      return [hostFile('node', readBytes(process.execPath, { maxBytes: MAX_FOREIGN_BYTES }), 0o755)]
    },
  }
}

function hostFile(name: string, bytes: Buffer, mode: number): HostFile {
  return { name, bytes, mode, sha256: createHash('sha256').update(bytes).digest('hex') }
}

/** Beside the bundle; run from the sources, what the last build made. */
function readBundle(path: string): Buffer {
  const folder = import.meta.url.endsWith('.ts') ? '../../../../dist/' : './'
  return readBytes(fileURLToPath(new URL(folder + path, import.meta.url)), { maxBytes: MAX_FOREIGN_BYTES })
}

function readTerminalModule(arch: string): Buffer {
  const name = `@lydell/node-pty-linux-${arch}/pty.node`
  try {
    return readBytes(createRequire(import.meta.url).resolve(name))
  } catch (error) {
    throw new AoError('PLACE_FAILED', `ao has no terminal module for linux ${arch}, which the place needs`, {
      hint: `Install it beside ao: npm install --force ${name.replace('/pty.node', '')}`,
      cause: error,
    })
  }
}
