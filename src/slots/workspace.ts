// The directory an agent works in, on its own branch.
import type { ProjectConfig } from '../contract/config.ts'

export interface WorkspaceSpec {
  projectId: string
  project: ProjectConfig
  sessionId: string
  branch: string
  /** Directory (0700) for logs of the project's commands. */
  stateDir: string
  /** Its files come from a place: git-lfs fetches nothing for them, because the agent's `.lfsconfig` would say from where. */
  fetchesNothing?: boolean | undefined
  /** Of a reviewer: the commit that it reads, and where its change starts. */
  review?: { head: string; from: string } | undefined
  /** What those commands find in their environment about the session. */
  variables?: Record<string, string>
  /**
   * `create` may answer when everything is there, and hand over what makes it safe from a power loss: it is awaited before an agent starts,
   * and when it fails, whoever was handed it rolls back. Without it `create` waits itself, and rolls back what it made.
   */
  onSettling?: (settled: Promise<void>) => void
  /** postCreate commands and repository-supplied steps run only with consent to exactly this content. */
  onProgress?: (line: string) => void
  /** What the user has to know, even without --verbose. */
  onNotice?: (line: string) => void
}

export interface WorkspaceInfo {
  path: string
  branch: string
  sessionId: string
  projectId: string
  /** false: the branch existed before us, so rolling back the spawn must not delete it. */
  branchCreated: boolean
}

export interface WorkspaceGit {
  /** HEAD and index of this checkout. */
  gitDir: string
  /** Objects, refs and configuration, shared by all worktrees. */
  commonDir: string
  /** A worktree added to another checkout, as opposed to a main checkout, clone or bare repository. */
  linked: boolean
}

export interface Rescue {
  ref: string
  commit: string
}

/** Something that no session owns. */
export interface Leftover {
  path: string
  what: string
  /** Absent: it may contain somebody's work, so it is only reported. */
  remove?: () => Promise<void>
}

export interface Workspace {
  readonly name: string
  /** The directory was there before the session and stays after it: nothing of it is rolled back, torn down or removed. */
  readonly keepsDirectory?: true
  /** Where `create` will put it, so that the path can be recorded before it exists. */
  pathFor(spec: { projectId: string; sessionId: string }): string
  /** Where git will keep its data, so that the sandbox of its agent can be planned. null: it will be no repository. */
  gitFor?(project: ProjectConfig, path: string): WorkspaceGit | null
  /** Does the branch already exist? Recorded before `create`, so that a crash cannot cost a foreign branch. */
  hasBranch?(project: ProjectConfig, branch: string): Promise<boolean>
  /** When it throws, nothing is left: no directory, no registration, no branch of ours. */
  create(spec: WorkspaceSpec): Promise<WorkspaceInfo>
  /** Symlinks, env files, `.worktreeinclude`, postCreate commands. */
  postCreate?(info: WorkspaceInfo, spec: WorkspaceSpec): Promise<void>
  /** preRemove commands, before `destroy` and after `snapshot`. Throws when one fails; may be repeated. */
  preRemove?(path: string, spec: WorkspaceSpec): Promise<void>
  /** The session it was created for, by a mark of its own; null when it has none. */
  ownerOf?(path: string): string | null
  /** With `project`: and is it a workspace of this very repository? Another checkout may have the path by now. */
  exists(path: string, project?: ProjectConfig): Promise<boolean>
  /**
   * Saves everything uncommitted (staged, unstaged, untracked but not ignored) and commits that no branch contains. null:
   * there was nothing to save. Throws when it cannot be saved: then nothing may be removed.
   */
  snapshot?(path: string, sessionId: string): Promise<Rescue | null>
  /** Remove the directory and its registration; branches stay. Idempotent. */
  destroy(path: string): Promise<void>
  /** Recreate a missing workspace on its branch. Throws when it cannot. */
  restore?(spec: WorkspaceSpec, path: string): Promise<WorkspaceInfo>
  /** Restores the newest rescue of the session and verifies it. null: there is none. */
  applyRescue?(path: string, sessionId: string, project: ProjectConfig): Promise<Rescue | null>
  /**
   * The end of a restore: before it the workspace counts as unfinished (`exists` is false, `snapshot` saves nothing), after
   * it its content is work, and the applied rescue is settled.
   */
  keepRestored?(path: string, sessionId: string, project: ProjectConfig): Promise<void>
  /**
   * Reconnects a directory at the path with its repository. Throws when something is there that it cannot vouch for; does
   * nothing when nothing is there, or when everything is fine.
   */
  repair?(path: string, project: ProjectConfig): Promise<void>
  /** Removes what an unfinished `create` or `restore` left. false: there is nothing unfinished. */
  rollBack?(path: string): Promise<boolean>
  /** Rolls back a spawn: removes the workspace and, if it holds nothing of its own, the branch that we created. */
  undoCreate?(info: WorkspaceInfo, project: ProjectConfig): Promise<void>
  /** What interrupted commands left of the project's workspaces, and directories that are no longer workspaces. */
  leftovers?(projectId: string, project: ProjectConfig): Promise<Leftover[]>
  list(projectId: string, project: ProjectConfig): Promise<WorkspaceInfo[]>
}
