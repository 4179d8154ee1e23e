// One hash for everything in a directory: names, links and contents. A change of any loadable byte changes it.
import { createHash, type Hash } from 'node:crypto'
import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { pathInside } from '../../lib/inside-directory.ts'
import { readBytes } from '../../lib/plain-file.ts'

export interface HashLimits {
  files: number
  bytes: number
}

const DEFAULT_LIMITS: HashLimits = { files: 5_000, bytes: 64 * 1024 * 1024 }

interface Walk {
  root: string
  hash: Hash
  left: HashLimits
}

/** Throws PLUGIN_INVALID when the directory cannot be hashed completely: then it cannot be trusted either. */
export function hashDirectory(root: string, limits: HashLimits = DEFAULT_LIMITS): string {
  const walk: Walk = { root: realpathSync(root), hash: createHash('sha256'), left: { ...limits } }
  addDirectory(walk, '')
  return walk.hash.digest('hex')
}

function addDirectory(walk: Walk, relative: string): void {
  for (const name of readdirSync(join(walk.root, relative)).sort()) {
    // Its content is history, and it changes with every command.
    if (name === '.git') continue
    addEntry(walk, relative === '' ? name : `${relative}/${name}`)
  }
}

function addEntry(walk: Walk, relative: string): void {
  spend(walk, 'files', 1)
  const path = join(walk.root, relative)
  const stats = lstatSync(path)
  if (stats.isDirectory()) {
    add(walk, 'directory', relative, '')
    addDirectory(walk, relative)
  } else if (stats.isFile()) {
    addFile(walk, relative, path, stats.size)
  } else if (stats.isSymbolicLink()) {
    addLink(walk, relative, path)
  } else {
    throw refused(walk, `${relative} is neither a file nor a directory`)
  }
}

function addFile(walk: Walk, relative: string, path: string, size: number): void {
  spend(walk, 'bytes', size)
  add(walk, 'file', relative, readBytes(path, { maxBytes: size }))
}

function addLink(walk: Walk, relative: string, path: string): void {
  add(walk, 'link', relative, readlinkSync(path))
  const target = statSync(path, { throwIfNoEntry: false })
  if (target === undefined) return
  // A target inside is hashed at its own path.
  if (pathInside(walk.root, path) !== null) return
  if (!target.isFile()) throw refused(walk, `${relative} is a link to a directory outside`)
  addFile(walk, relative, path, target.size)
}

/** Lengths before contents, so that no two different trees can give the same bytes. */
function add(walk: Walk, kind: string, name: string, content: string | Buffer): void {
  walk.hash.update(JSON.stringify([kind, name, content.length]))
  walk.hash.update(content)
}

function spend(walk: Walk, what: keyof HashLimits, amount: number): void {
  walk.left[what] -= amount
  if (walk.left[what] < 0) throw refused(walk, `holds more ${what} than can be checked`)
}

function refused(walk: Walk, why: string): AoError {
  return new AoError('PLUGIN_INVALID', `${walk.root} cannot be trusted as a whole: ${why}`, {
    hint: 'Put the plugin into a directory of its own',
    details: { directory: walk.root },
  })
}
