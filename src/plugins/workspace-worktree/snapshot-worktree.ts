// Saves the work in a worktree before it is removed.
import { existsSync } from 'node:fs'
import { AoError } from '../../contract/errors.ts'
import { createRescueRef } from '../../git/rescue/rescue-refs.ts'
import { saveRescue } from '../../git/rescue/save-rescue.ts'
import { openCheckout } from '../../git/workspace/checkout.ts'
import type { Rescue } from '../../slots/workspace.ts'

export async function snapshotWorktree(
  path: string,
  sessionId: string,
  env: NodeJS.ProcessEnv,
): Promise<Rescue | null> {
  if (!existsSync(path)) return null
  const checkout = openCheckout(path, env)
  if (checkout === null) {
    throw new AoError('WORKSPACE_NOT_SAVED', `${path} is no working tree that git understands, so it cannot be saved`, {
      hint: `If the repository was moved, run in it: git worktree repair '${path}'`,
      details: { path },
    })
  }
  return saveRescue({
    checkout,
    sessionId,
    store: checkout,
    publish: (ref, commit) => createRescueRef(checkout, ref, commit),
  })
}
