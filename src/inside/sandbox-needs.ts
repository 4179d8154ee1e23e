// What `git` and `gh` write outside the workspace, for agents that run commands in a sandbox of their own. Git's hooks and
// settings are excluded: their content is run outside the sandbox.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../contract/config.ts'
import type { Role } from '../contract/record-values.ts'
import { type GitLocation, locateGit } from '../git/git-dir.ts'
import type { SandboxNeeds } from '../slots/agent.ts'
import type { ProjectPaths } from '../store/paths.ts'
import { reviewsDirectory } from '../store/reviews.ts'

/** What will be there once the workspace and its record are made. */
interface Planned {
  git: GitLocation | null
  /** The forge keeps pull requests in the project's directory. */
  hasPulls: boolean
}

export function sandboxNeeds(
  paths: ProjectPaths,
  project: ProjectConfig,
  workspacePath: string,
  planned: Planned | null = null,
  role: Role = 'worker',
): SandboxNeeds {
  // What it found, and the notes of its wrappers: nothing of the repository.
  if (role === 'reviewer')
    return {
      write: [reviewsDirectory(paths.dir), paths.sessions, paths.history, paths.locks],
      writeIfProtected: [],
      protect: [],
    }
  const existing = locate(workspacePath)
  const own = existing ?? planned?.git ?? null
  const pulls = join(paths.dir, 'pulls')
  const made = new Set(existing || !planned ? [] : madeWith(paths, planned, pulls))
  const isThere = (path: string) => made.has(path) || existsSync(path)
  const main = locate(project.path)
  const common = [own, main].flatMap((location) => (location ? [location.commonDir] : []))
  const write = [
    ...common.flatMap((directory) => ['objects', 'refs', 'logs'].map((name) => join(directory, name))),
    ...(own?.linked ? [own.gitDir] : []),
    // The pull requests of a forge without a server, and what the wrappers write to the session's record.
    ...[pulls, paths.sessions, paths.history, paths.locks],
  ]
  return {
    write: [...new Set(write)].filter(isThere),
    // A clone has its settings and hooks in the very directory that git has to write.
    writeIfProtected: own && !own.linked ? [own.gitDir] : [],
    protect: own ? protectedFiles(own).filter(isThere) : [],
  }
}

function madeWith(paths: ProjectPaths, { git, hasPulls }: Planned, pulls: string): string[] {
  const ofGit = git?.linked ? ['', 'commondir', 'gitdir'] : ['objects', 'refs', 'logs', 'config', 'hooks', 'info']
  return [
    ...(git === null ? [] : ofGit.map((name) => join(git.gitDir, name))),
    ...[paths.sessions, paths.history, paths.locks, ...(hasPulls ? [pulls] : [])],
  ]
}

/** In a directory that git has to write: files that point to other settings or programs. */
function protectedFiles({ gitDir }: GitLocation): string[] {
  return ['commondir', 'gitdir', 'config', 'config.worktree', 'hooks', 'info'].map((name) => join(gitDir, name))
}

function locate(path: string): GitLocation | null {
  try {
    return locateGit(path)
  } catch {
    // It is unreadable, so nothing there is opened to the agent.
    return null
  }
}
