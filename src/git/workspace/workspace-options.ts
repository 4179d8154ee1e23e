// Options of the two git workspace plugins and the names that become paths.

import { isAbsolute, join, resolve } from 'node:path'
import * as z from 'zod/mini'
import { AoError } from '../../contract/errors.ts'
import { isSafeName } from '../../contract/ids.ts'
import { isSafeBranch } from '../../core/session/name-branch.ts'
import { userHome } from '../../lib/process/own-home.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import type { WorkspaceSpec } from '../../slots/workspace.ts'

export const directoryOption = z.optional(z.string("must be a directory's path").check(z.minLength(1, 'is empty')))

/**
 * The absolute directory that contains all workspaces. `~` is the home; relative paths are resolved beside
 * agent-orchestrator.yaml.
 */
export function baseDirectory(given: string, context: PluginContext): string {
  const home = userHome(context.home, context.env)
  if (given === '~') return home
  if (given.startsWith('~/')) return join(home, given.slice(2))
  return isAbsolute(given) ? resolve(given) : resolve(context.configDir, given)
}

export function workspacePath(base: string, spec: { projectId: string; sessionId: string }): string {
  for (const [what, name] of Object.entries({ 'project id': spec.projectId, 'session id': spec.sessionId })) {
    if (!isSafeName(name)) {
      throw new AoError('WORKSPACE_FAILED', `The ${what} ${JSON.stringify(name)} cannot be a directory's name`)
    }
  }
  return join(base, spec.projectId, spec.sessionId)
}

export function checkBranch(spec: WorkspaceSpec): void {
  if (isSafeBranch(spec.branch)) return
  throw new AoError('WORKSPACE_FAILED', `${JSON.stringify(spec.branch)} cannot be a branch's name`, {
    hint: 'Choose another with: --branch <name>',
    details: { branch: spec.branch },
  })
}
