// Saves the work in a worktree before it is removed.
import { existsSync } from 'node:fs'
import { AoError } from '../../contract/errors.ts'
import { settleApplied } from '../../git/rescue/keep-restored.ts'
import { createRescueRef } from '../../git/rescue/rescue-refs.ts'
import { saveRescue } from '../../git/rescue/save-rescue.ts'
import { openCheckout } from '../../git/workspace/checkout.ts'
import { endOrphanedGit, markedEnv } from '../../git/workspace/own-git.ts'
import { readRecord } from '../../git/workspace/record.ts'
import type { Rescue } from '../../slots/workspace.ts'

export async function snapshotWorktree(
  path: string,
  sessionId: string,
  env: NodeJS.ProcessEnv,
): Promise<Rescue | null> {
  const record = readRecord(path)
  // Nobody has worked in it: what an interrupted restore left must not replace the saved work.
  if (!existsSync(path) || record?.state === 'creating') return null
  if (record !== null) await endOrphanedGit(path, record)
  const checkout = openCheckout(path, markedEnv(path, env))
  if (checkout === null) {
    throw new AoError(
      'WORKSPACE_NOT_SAVED',
      `${path} is not a working tree that git understands, so it cannot be saved`,
      {
        hint: `If the repository was moved, run in it: git worktree repair '${path}'`,
        details: { path },
      },
    )
  }
  await settleApplied(path, sessionId, checkout)
  return saveRescue({
    checkout,
    sessionId,
    store: checkout,
    publish: (ref, commit) => createRescueRef(checkout, ref, commit),
  })
}
