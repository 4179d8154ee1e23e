// The host as it is sent to a place: one bundled file, the native part of its terminal, and a Node where there is none.
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AoError } from '../../../contract/errors.ts'
import { MAX_FOREIGN_BYTES, readBytes } from '../../../lib/plain-file.ts'

export interface HostFile {
  name: string
  bytes: Buffer
  mode: number
  sha256: string
}

/** Files that belong together; the name changes with their content. */
export interface HostSet {
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
export function nodeSet(arch: string): HostSet {
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
