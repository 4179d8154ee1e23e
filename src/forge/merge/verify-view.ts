// A decision about a pull request is about verified commits: its head, its base, and where it left that.
import { AoError } from '../../contract/errors.ts'
import { type VerifiedRepository, verified } from '../../git/vault/verified.ts'
import type { PullView } from '../pulls/observe-pulls.ts'
import type { LocalForge } from '../types.ts'
import { readMergeBases } from './merge-memory.ts'

/** Throws when what was observed in the repository is not what the commits say. */
export async function verifyView(
  forge: LocalForge,
  { pull, headSha, baseSha, from }: Pick<PullView, 'pull' | 'headSha' | 'baseSha' | 'from'>,
): Promise<VerifiedRepository> {
  const repository = forge.repository()
  const vault = await verified(repository, [headSha, ...(baseSha === null ? [] : [baseSha])])
  if (baseSha === null || from === null) return vault
  const bases = (await readMergeBases(vault, { head: headSha, base: baseSha })) ?? []
  if (bases.length === 0 ? from === baseSha : bases.includes(from)) return verified(vault, [from])
  throw new AoError(
    'GIT_OBJECT_DAMAGED',
    `In ${repository.commonDir}, pull request ${pull.number} starts at ${from.slice(0, 10)}, and by its own commits elsewhere`,
    {
      hint: `Find objects that were tampered with: git -C '${repository.commonDir}' fsck --full`,
      details: { from, bases },
    },
  )
}
