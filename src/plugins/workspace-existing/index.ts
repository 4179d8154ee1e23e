// Workspace plugin `existing`: a worktree that somebody else made, and in which a session works now. It is never created, moved,
// prepared or removed here, and gets no mark: nothing may ever take it for one of ao's own.
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { ADOPTED_WORKSPACE } from '../../contract/record-values.ts'
import { findRegistration } from '../../git/checkouts.ts'
import { detectGit } from '../../git/detect-git.ts'
import { locateGit } from '../../git/git-dir.ts'
import { openRepository } from '../../git/repository.ts'
import { markedOwner } from '../../git/workspace/record.ts'
import { definePlugin, NO_OPTIONS, type PluginContext } from '../../slots/plugin.ts'
import type { Workspace } from '../../slots/workspace.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'workspace',
    name: ADOPTED_WORKSPACE,
    description: 'A worktree that was there before its session; `ao adopt` uses it by itself',
  },
  options: NO_OPTIONS,
  create: (_options, context) => createExistingWorkspace(context),
  detect: detectGit,
})

function createExistingWorkspace({ home, env }: PluginContext): Workspace {
  return {
    name: ADOPTED_WORKSPACE,
    keepsDirectory: true,
    // Nothing is ever made there.
    pathFor: ({ projectId, sessionId }) => join(home, '.ao', 'adopted', projectId, sessionId),
    gitFor: (_project, path) => locateGit(path),
    ownerOf: (path) => markedOwner(path),
    exists: async (path, project) => {
      const location = isPlainDirectory(path) ? locateGit(path) : null
      if (!location?.linked) return false
      if (project === undefined) return true
      const repository = openRepository(project.path, env)
      return findRegistration(repository, path)?.gitDir === location.gitDir
    },
    create: () => Promise.reject(new AoError('USAGE', 'The workspace `existing` is for worktrees that exist already')),
    destroy: () => Promise.resolve(),
    list: () => Promise.resolve([]),
  }
}

function isPlainDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
