// Workspace plugin `read-only`: one commit to read, for a reviewer. A repository of its own that borrows verified objects: it has
// no remote, none of the project's branches and no link to them, so that nothing that is done in it gets anywhere.
import { chmodSync, existsSync, lstatSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { READING_WORKSPACE } from '../../contract/pull.ts'
import { detectGit } from '../../git/detect-git.ts'
import { runGit } from '../../git/git.ts'
import { openRepository } from '../../git/repository.ts'
import { verified } from '../../git/vault/verified.ts'
import { workspacePath } from '../../git/workspace/plan-workspace.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { isInside } from '../../lib/inside-directory.ts'
import { namesIn, readIfThere } from '../../lib/plain-file.ts'
import { removeTree } from '../../lib/remove.ts'
import { definePlugin, NO_OPTIONS, type PluginContext } from '../../slots/plugin.ts'
import type { Workspace, WorkspaceInfo, WorkspaceSpec } from '../../slots/workspace.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'workspace',
    name: READING_WORKSPACE,
    description: 'One commit to read, for reviewers; ao uses it by itself',
  },
  options: NO_OPTIONS,
  create: (_options, context) => createReviewWorkspace(join(context.home, '.ao', 'reviews'), context),
  detect: detectGit,
})

/** In its git directory: whose it is. It is written last, so that half a checkout is none. */
const OWNER = 'ao-reviewer'

function createReviewWorkspace(base: string, { env }: PluginContext): Workspace {
  const ownerOf = (path: string) => readIfThere(join(path, '.git', OWNER))?.trim() || null
  return {
    name: READING_WORKSPACE,
    pathFor: (spec) => workspacePath(base, spec),
    gitFor: (_project, path) => ({ gitDir: join(path, '.git'), commonDir: join(path, '.git'), linked: false }),
    ownerOf,
    create: (spec) => checkOut(spec, workspacePath(base, spec), env),
    exists: async (path) => ownerOf(path) !== null,
    async destroy(path) {
      if (!isInside(base, resolve(path))) throw new AoError('WORKSPACE_FAILED', `${path} is not a reviewer's directory`)
      for (const one of [path, unfinished(path)]) removeTree(one, { maxRetries: 3 })
    },
    async rollBack(path) {
      if (!existsSync(unfinished(path))) return false
      removeTree(unfinished(path), { maxRetries: 3 })
      return true
    },
    async list(projectId) {
      return namesIn(join(base, projectId)).flatMap((name) => {
        const path = join(base, projectId, name)
        const sessionId = ownerOf(path)
        return sessionId === null ? [] : [{ path, branch: '', sessionId, projectId, branchCreated: false }]
      })
    },
  }
}

function unfinished(path: string): string {
  return `${path}.new`
}

async function checkOut(spec: WorkspaceSpec, path: string, env: NodeJS.ProcessEnv): Promise<WorkspaceInfo> {
  const { review, sessionId, projectId, project } = spec
  if (review === undefined) {
    throw new AoError('USAGE', 'The workspace `read-only` is for reviewers, which ao starts itself', {
      hint: 'Choose worktree or clone',
    })
  }
  const { head, from } = review
  const vault = await verified(openRepository(project.path, env), [head, from])
  const making = unfinished(path)
  removeTree(making)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const git = (args: string[]) => runGit(making, args, { env })
  try {
    const format = head.length === 64 ? ['--object-format=sha256'] : []
    await runGit(dirname(path), ['init', '--quiet', '--template=', ...format, making], { env })
    mkdirSync(join(making, '.git', 'objects', 'info'), { recursive: true })
    writeFileSync(join(making, '.git', 'objects', 'info', 'alternates'), `${join(vault.commonDir, 'objects')}\n`)
    writeFileSync(join(making, '.git', 'HEAD'), `${head}\n`)
    await git(['read-tree', '--reset', '-u', head])
    failpoint('review-checkout.filled')
    for (const name of (await git(['ls-files', '-z'])).split('\0').filter(Boolean)) protect(join(making, name))
    writeFileSync(join(making, '.git', OWNER), `${sessionId}\n`)
    renameSync(making, path)
  } catch (error) {
    removeTree(making)
    throw error
  }
  return { path, branch: '', sessionId, projectId, branchCreated: false }
}

/** A sign more than a lock: whoever writes here all the same changes nothing that anybody reads. */
function protect(file: string): void {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (stat?.isFile()) chmodSync(file, stat.mode & 0o555)
}
