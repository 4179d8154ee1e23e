// `~/.ao/trusted-roots`: base directories besides the standard ones under which ao itself has created sessions. The shell
// helper writes only there; an agent's environment alone can add nothing.
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../contract/errors.ts'
import { writeFileAtomic } from '../lib/atomic-write.ts'
import { isInside } from '../lib/inside-directory.ts'
import { withLock } from '../lib/lock.ts'
import { readIfThere } from '../lib/plain-file.ts'

/** `dataDir` must exist. The standard bases need no entry. */
export async function trustRoot(home: string, dataDir: string): Promise<void> {
  const root = realpathSync(dataDir)
  if (standardRoots(home).some((standard) => isInside(standard, root))) return
  if (/[\n\r]/.test(root)) throw new AoError('USAGE', 'The data directory must not have a line break in its name')
  const aoHome = join(home, '.ao')
  const file = join(aoHome, 'trusted-roots')
  if (readRoots(file).includes(root)) return
  mkdirSync(aoHome, { recursive: true, mode: 0o700 })
  await withLock(join(aoHome, '.trusted-roots.lock'), () => {
    const roots = readRoots(file)
    if (!roots.includes(root)) writeFileAtomic(file, [...roots, root].map((line) => `${line}\n`).join(''))
  })
}

function standardRoots(home: string): string[] {
  return [join(home, '.agent-orchestrator'), join(home, '.ao')].map(realIfThere)
}

function readRoots(file: string): string[] {
  return (readIfThere(file) ?? '').split('\n').filter(Boolean)
}

function realIfThere(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path
    throw error
  }
}
