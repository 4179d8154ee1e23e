// Objects on their way between two repositories that cannot reach each other: a pack out of one, a pack into the other.
import type { Readable } from 'node:stream'
import { startGit } from '../../../git/git.ts'
import { endOf } from '../../../git/transfer/pack.ts'
import { drainInto } from '../wire.ts'

interface PackRepository {
  /** A git directory. */
  gitDir: string
  env: NodeJS.ProcessEnv
}

/** Everything that `wants` lead to and `haves` do not. Unknown haves are left out by the caller. */
export function writePack(
  repository: PackRepository,
  { wants, haves }: { wants: readonly string[]; haves: readonly string[] },
): { pack: Readable; done: Promise<void> } {
  const flags = ['--revs', '--thin', '--stdout', '--quiet', '--delta-base-offset']
  const child = startGit(['pack-objects', ...flags], repository)
  child.stdin.on('error', () => undefined)
  child.stdin.end([...wants, ...haves.map((one) => `^${one}`), ''].join('\n'))
  return { pack: child.stdout, done: endOf(child, 'pack-objects') }
}

/** Every object is checked; resolves when all of them are in the repository. An empty stream adds nothing. */
export async function readPack(repository: PackRepository, pack: Readable): Promise<void> {
  const child = startGit(['index-pack', '--stdin', '--fix-thin', '--strict'], {
    ...repository,
    settings: ['core.fsync=committed,loose-object'],
  })
  child.stdout.resume()
  const done = endOf(child, 'index-pack')
  // git leaves at the pack's last byte, which is a hash of all before, without waiting for the end of the stream. So its success proves
  // that everything arrived, and a pipe that it closed proves nothing.
  drainInto(pack, child.stdin).catch(() => undefined)
  await done
}
