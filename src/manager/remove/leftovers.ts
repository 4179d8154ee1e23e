// What killed commands left behind that no session's record mentions. `ao doctor` lists it, cleanup and `--fix` remove it.
import { dirname } from 'node:path'
import { EMPTY_RECORD } from '../../contract/record.ts'
import { openRepository } from '../../git/repository.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import type { Leftover } from '../../slots/workspace.ts'
import { findStoreLeftovers } from '../../store/leftovers.ts'
import { type ManagerContext, projectIds, requireProject, workspaceOf } from '../context.ts'
import { readOperation } from '../operation.ts'
import { interruptedImports } from '../transfer/import-intent.ts'

export async function findLeftovers(context: ManagerContext, projectId?: string): Promise<Leftover[]> {
  const found: Leftover[] = []
  for (const id of projectIds(context, projectId)) {
    const project = requireProject(context, id)
    const workspace = await workspaceOf(context, project)
    const busy = pathsInUse(context, id)
    const workspaces = (await workspace.leftovers?.(id, project)) ?? []
    const shared = [context.paths.observability, dirname(context.paths.trust)]
    const store = context.store(id)
    found.push(
      ...findStoreLeftovers(store, shared),
      ...interruptedImports(store, () => openRepository(project.path, context.env)),
      ...workspaces.filter(({ path }) => !busy.has(path)),
    )
  }
  return found
}

/** Resolves with what was removed. */
export async function removeLeftovers(context: ManagerContext, projectId?: string): Promise<Leftover[]> {
  const removed: Leftover[] = []
  for (const one of await findLeftovers(context, projectId)) {
    if (!one.remove) continue
    await ignoreFailure(`${one.path} stays where it is`, context.log, async () => {
      await one.remove!()
      removed.push(one)
    })
  }
  return removed
}

/** Workspaces of sessions that a command is working on, or that recover has yet to settle. */
function pathsInUse(context: ManagerContext, projectId: string): Set<string> {
  const store = context.store(projectId)
  const inUse = store.list().flatMap((id) => {
    const record = store.read(id)?.record ?? EMPTY_RECORD
    return readOperation(record) && record.worktree !== undefined ? [record.worktree] : []
  })
  return new Set(inUse)
}
