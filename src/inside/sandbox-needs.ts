// What `git` and `gh` write outside the workspace, for agents that run commands in a sandbox of their own. Git's hooks and
// settings are excluded: their content is run outside the sandbox.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../contract/config.ts'
import { type GitLocation, locateGit } from '../git/git-dir.ts'
import type { SandboxNeeds } from '../slots/agent.ts'
import type { ProjectPaths } from '../store/paths.ts'

export function sandboxNeeds(paths: ProjectPaths, project: ProjectConfig, workspacePath: string): SandboxNeeds {
  const own = locate(workspacePath)
  const main = locate(project.path)
  const common = [own, main].flatMap((location) => (location ? [location.commonDir] : []))
  const write = [
    ...common.flatMap((directory) => ['objects', 'refs', 'logs'].map((name) => join(directory, name))),
    ...(own?.linked ? [own.gitDir] : []),
    // The pull requests of a forge without a server, and what the wrappers write to the session's record.
    ...[join(paths.dir, 'pulls'), paths.sessions, paths.history, paths.locks],
  ]
  return {
    write: [...new Set(write)].filter((path) => existsSync(path)),
    // A clone has its settings and hooks in the very directory that git has to write.
    writeIfProtected: own && !own.linked ? [own.gitDir] : [],
    protect: own ? protectedFiles(own).filter((path) => existsSync(path)) : [],
  }
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
