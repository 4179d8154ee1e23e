// Commits made in a vault go into the project's repository as one pack. It holds everything that the base does not have, the
// agent's own commits too: git compares each with what the repository has under the same id, and refuses when they differ.
import { mkdtempSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { errorText } from '../../contract/errors.ts'
import { syncPath } from '../../lib/atomic-write.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { namesIn } from '../../lib/plain-file.ts'
import { removeTree } from '../../lib/remove.ts'
import { objectEnv } from '../guard/alternates.ts'
import { sendPack } from '../transfer/pack.ts'
import { damagedObject } from './damaged-object.ts'
import type { VerifiedRepository } from './verified.ts'

export async function deliver(vault: VerifiedRepository, commit: string, base: string): Promise<void> {
  if (commit === base) return
  const objects = join(vault.source.commonDir, 'objects')
  // Removed by git's own clean-up too, should this process die.
  const incoming = mkdtempSync(join(objects, 'tmp_objdir-ao-'))
  try {
    const extraEnv = objectEnv(incoming, [objects])
    await sendPack({ from: vault, input: [commit, `^${base}`], revs: true, into: vault.source, extraEnv })
    failpoint('vault.delivered')
    // The index last: without it git does not see the pack.
    const names = namesIn(join(incoming, 'pack')).filter((name) => name.startsWith('pack-'))
    for (const name of names.sort((one, other) => Number(one.endsWith('.idx')) - Number(other.endsWith('.idx'))))
      renameSync(join(incoming, 'pack', name), join(objects, 'pack', name))
    syncPath(join(objects, 'pack'))
  } catch (error) {
    const id = /COLLISION FOUND WITH ([0-9a-f]+)|existing object (?:info )?([0-9a-f]+)/.exec(errorText(error))
    if (id === null) throw error
    throw damagedObject(vault.source, id[1] ?? id[2] ?? null)
  } finally {
    removeTree(incoming)
  }
}
