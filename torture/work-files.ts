// What is in the files of workspaces, asked again and again: a file that is the same one, unchanged since, is not read again.
import { createHash } from 'node:crypto'
import { type BigIntStats, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

interface Seen {
  stamp: string
  content: string
}

/** Whoever changes a file right after it was read may leave it with the same times: such a file is read again. */
const SETTLED_NS = 1_000_000_000n

/** By path. */
export type SeenFiles = Map<string, Seen>

/** Type, executable bit and content of everything below a directory, git's own data left out. */
export function filesBelow(directory: string, seen: SeenFiles): Record<string, string> {
  const found: Record<string, string> = {}
  const walk = (below: string) => {
    for (const entry of readdirSync(join(directory, below), { withFileTypes: true })) {
      if (entry.name === '.git') continue
      const name = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) walk(name)
      else found[name] = contentOf(`${directory}/${name}`, seen)
    }
  }
  walk('')
  return found
}

function contentOf(path: string, seen: SeenFiles): string {
  const stat = lstatSync(path, { bigint: true })
  const stamp = `${stat.ino} ${stat.ctimeNs} ${stat.mtimeNs} ${stat.size} ${stat.mode}`
  const before = seen.get(path)
  if (before?.stamp === stamp) return before.content
  const content = read(path, stat)
  const isSettled = BigInt(Date.now()) * 1_000_000n - stat.ctimeNs > SETTLED_NS
  if (isSettled) seen.set(path, { stamp, content })
  return content
}

function read(path: string, stat: BigIntStats): string {
  if (stat.isSymbolicLink()) return `-> ${readlinkSync(path)}`
  const hash = createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16)
  return `${stat.mode & 0o100n ? 'x' : '-'} ${hash}`
}
