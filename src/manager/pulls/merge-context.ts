// What merging works with, for everyone who has a manager.
import type { ProjectConfig } from '../../contract/config.ts'
import type { MergeContext } from '../../landing/merge.ts'
import type { Scm } from '../../slots/scm.ts'
import type { ManagerContext } from '../context.ts'
import { gatesOf } from '../observe/gates.ts'

type Parts = Pick<ManagerContext, 'config' | 'paths' | 'env' | 'clock' | 'log' | 'store'>

export function mergeContext(context: Parts, project: ProjectConfig, scm: Scm): MergeContext {
  const { env, clock, log, paths } = context
  const projectDir = paths.project(project.id).dir
  return { projectDir, env, clock, log, store: context.store(project.id), gates: gatesOf(context, project, scm) }
}
