// A decision about a pull request is about verified commits: its head, its base, and where it left that.
import { AoError } from '../../contract/errors.ts'
import { readMergeBases } from '../../git/merge-memory.ts'
import { type VerifiedRepository, verified } from '../../git/vault/verified.ts'
import type { ObservedPull } from '../pulls/pull-view.ts'
import type { LocalForge } from '../types.ts'

/** Throws when what was observed in the repository is not what the commits say. */
export async function verifyView(
  forge: LocalForge,
  { pr, headSha, baseSha, from }: Pick<ObservedPull, 'pr' | 'headSha' | 'baseSha' | 'from'>,
): Promise<VerifiedRepository> {
  const repository = forge.repository()
  const vault = await verified(repository, [headSha, ...(baseSha === null ? [] : [baseSha])])
  if (baseSha === null || from === null) return vault
  const bases = await readMergeBases(vault, { head: headSha, base: baseSha })
  if (bases === null) throw new AoError('GIT_FAILED', `git could not compare ${headSha} with ${baseSha}`)
  if (bases.length === 0 ? from === baseSha : bases.includes(from)) return verified(vault, [from])
  throw new AoError(
    'GIT_OBJECT_DAMAGED',
    `In ${repository.commonDir}, pull request ${pr.number} starts at ${from.slice(0, 10)}, and by its own commits elsewhere`,
    {
      hint: `Find objects that were tampered with: git -C '${repository.commonDir}' fsck --full`,
      details: { from, bases },
    },
  )
}
