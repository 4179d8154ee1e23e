// Makes a fresh workspace usable: links, env files, files named in .worktreeinclude, then the project's own commands.
// Whether the repository may ask for this at all was decided before (trust).
import type { PluginContext } from '../../slots/plugin.ts'
import type { WorkspaceInfo, WorkspaceSpec } from '../../slots/workspace.ts'
import { copyEnvFiles } from './copy-env-files.ts'
import { copyIncludedFiles } from './copy-included-files.ts'
import { linkPaths } from './link-paths.ts'
import type { Preparation } from './preparation.ts'
import { runPostCreate } from './run-post-create.ts'

export async function prepareWorkspace(
  info: WorkspaceInfo,
  spec: WorkspaceSpec,
  context: PluginContext,
): Promise<void> {
  const preparation: Preparation = {
    source: spec.project.path,
    target: info.path,
    env: context.env,
    onProgress: spec.onProgress ?? (() => undefined),
  }
  await linkPaths(preparation, spec.project.symlinks ?? [])
  await copyEnvFiles(preparation, spec.project.envFiles ?? ['.env'])
  await copyIncludedFiles(preparation)
  await runPostCreate(preparation, spec)
}
