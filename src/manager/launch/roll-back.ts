// A failed launch: everything created so far is undone, newest first. A record stays as long as anything else does.
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import { factsOfStatus } from '../../core/status/derive-status.ts'
import type { Workspace, WorkspaceInfo } from '../../slots/workspace.ts'
import type { ManagerContext } from '../context.ts'
import { NO_OPERATION, NOT_STARTED } from '../operation.ts'
import type { LaunchRun } from './launch-run.ts'

/**
 * Never throws: the caller learns why the launch failed, not that recording this failed too. A record that could not be
 * changed still carries its intent, and the next command settles it.
 */
export async function rollBackLaunch(context: ManagerContext, run: LaunchRun, error: unknown): Promise<void> {
  const { plan } = run
  run.onProgress(`failed to ${run.step}: ${errorText(error)}`)
  const left = await run.undo.unwind()
  try {
    await settleRecord(context, run, { error: errorText(error), left })
  } catch (failure) {
    context.log.warn(`${plan.session}: the failed ${plan.kind} could not be recorded: ${errorText(failure)}`)
  }
}

interface Failure {
  error: string
  left: Array<{ name: string; error: string }>
}

async function settleRecord(context: ManagerContext, run: LaunchRun, { error, left }: Failure): Promise<void> {
  const { store, plan, restoring } = run
  const operation = restoring ? 'restore' : 'spawn'
  const failed = { type: 'operation.failed', operation, step: run.step, error } as const
  if (left.length > 0) {
    // Something is still there: the record stays, so that it can be seen and removed.
    const evidence = left.map(({ name, error: why }) => `could not remove ${name}: ${why}`)
    const change = { endedAs: 'errored', spawnId: plan.spawnId, runtimeHandle: run.handle ?? undefined } as const
    await store.update(plan.session, { ...change, ...NO_OPERATION }, [failed], evidence)
    return
  }
  if (restoring && !restoring.fromArchive) {
    const why = [`the ${operation} failed and was rolled back`]
    await store.update(plan.session, { ...factsOfStatus(restoring.previous), ...NO_OPERATION }, [failed], why)
    return
  }
  if (!restoring && store.read(plan.session)?.record.waitsSince) {
    // Tried again at a person's word only: it would fail in the same way.
    await store.update(plan.session, { ...NOT_STARTED, heldBack: `its start failed: ${error}` }, [failed])
    return
  }
  // A new record was only the intent; an archived session is still in the archive.
  try {
    await store.appendEvents(plan.session, [failed])
  } catch (failure) {
    context.log.warn(`${plan.session}: the history could not be written: ${errorText(failure)}`)
  }
  await store.remove(plan.session)
}

/** The workspace of an unfinished spawn. Nothing written meanwhile is lost: it is saved first, and what cannot be saved is not removed. */
export async function rollBackWorkspace(
  workspace: Workspace,
  info: WorkspaceInfo,
  project: ProjectConfig,
): Promise<void> {
  if (info.path === project.path || workspace.keepsDirectory) return
  await workspace.rollBack?.(info.path)
  if (await workspace.exists(info.path, project)) await workspace.snapshot?.(info.path, info.sessionId)
  if (workspace.undoCreate) return workspace.undoCreate(info, project)
  await workspace.destroy(info.path)
}

/** The same for a recreated workspace. Until it was complete it contained no work: the rescue still holds it. */
export async function rollBackRestored(workspace: Workspace, path: string, about: Restored): Promise<void> {
  if (path === about.project.path || workspace.keepsDirectory) return
  if (await workspace.rollBack?.(path)) return
  if (await workspace.exists(path, about.project)) await workspace.snapshot?.(path, about.sessionId)
  await workspace.destroy(path)
}

interface Restored {
  project: ProjectConfig
  sessionId: string
}
