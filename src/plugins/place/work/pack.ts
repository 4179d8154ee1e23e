// Objects on their way between two repositories that cannot reach each other: a pack out of one, a pack into the other.
import { join } from 'node:path'
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
  const input = [...wants, ...haves.map((one) => `^${one}`), ''].join('\n')
  return { pack: child.stdout, done: endOf(child, 'pack-objects', input) }
}

interface ReadOptions {
  /** Their form and their links are checked, too. Without it only their ids are computed. */
  isStrict?: boolean
}

/** Every object is checked; resolves with the pack's file, when all of them are in the repository. */
export async function readPack(
  repository: PackRepository,
  pack: Readable,
  { isStrict = true }: ReadOptions = {},
): Promise<string> {
  const flags = ['--stdin', '--fix-thin', ...(isStrict ? ['--strict'] : [])]
  const child = startGit(['index-pack', ...flags], { ...repository, settings: ['core.fsync=committed,loose-object'] })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  const done = endOf(child, 'index-pack')
  // git leaves at the pack's last byte, which is a hash of all before, without waiting for the end of the stream. So its success proves
  // that everything arrived, and a pipe that it closed proves nothing.
  drainInto(pack, child.stdin).catch(() => undefined)
  await done
  const [, id = ''] = printed.trim().split('\t')
  return join(repository.gitDir, 'objects', 'pack', `pack-${id}.pack`)
}
