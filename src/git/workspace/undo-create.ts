// Rolls back a spawn: the workspace, and the branch when we created it and it holds nothing of its own.
import { resolve } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import type { WorkspaceInfo } from '../../slots/workspace.ts'
import { deleteBranchWithoutWork } from '../delete-branch.ts'
import { openRepository } from '../repository.ts'
import { endCreation } from './own-git.ts'
import { readRecord } from './record.ts'

export interface UndoJob {
  info: WorkspaceInfo
  project: ProjectConfig
  env: NodeJS.ProcessEnv
  destroy: (path: string) => Promise<void>
}

export async function undoCreate({ info, project, env, destroy }: UndoJob): Promise<void> {
  const path = resolve(info.path)
  if (path === resolve(project.path)) return
  const repository = openRepository(project.path, env)
  const record = readRecord(path)
  // Another checkout with the same project id got the path before us: that workspace is not ours.
  if (record === null || record.repository === repository.commonDir) {
    if (record !== null) await endCreation(path, record)
    await destroy(path)
  }
  const created = info.branchCreated || (record?.branchCreated ?? false)
  if (created && info.branch !== '') await deleteBranchWithoutWork(repository, info.branch)
}
