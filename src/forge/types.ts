// What the operations of the local forge work with. Each operation has its own file next to this one.
import type { ProjectConfig } from '../contract/config.ts'
import type { MergeMethod } from '../contract/forges.ts'
import type { MergeMemory } from '../git/merge-memory.ts'
import type { Repository } from '../git/repository.ts'
import type { CheckStore, CiCommand } from '../landing/checks/check-store.ts'
import type { PluginContext } from '../slots/plugin.ts'
import type { Scm } from '../slots/scm.ts'
import type { Tracker } from '../slots/tracker.ts'
import type { LocalIssueStore } from './issues/issue-store.ts'
import type { LocalPullStore } from './pulls/pull-store.ts'

/** `scm: { plugin: local, … }` of the configuration. */
export interface ForgeOptions {
  ci: CiCommand[]
  merge: MergeMethod
}

export interface LocalForge {
  project: ProjectConfig
  options: ForgeOptions
  context: PluginContext
  projectDir: string
  pulls: LocalPullStore
  checks: CheckStore
  /** Throws when the project's path is not a repository. */
  repository(): Repository
  memory: MergeMemory
  /** Own checks that heads change, by head and base. */
  changedChecks: Map<string, string[]>
}

/** The scm plugin, plus what only the commands of this forge need. */
export interface LocalScm extends Scm {
  forge(project: ProjectConfig): LocalForge
}

export function isLocalScm(scm: Scm | null): scm is LocalScm {
  return scm !== null && 'forge' in scm
}

/** The tracker plugin, plus the files themselves for what the slot does not cover. */
export interface LocalTracker extends Tracker {
  issues(project: ProjectConfig): LocalIssueStore
}

export function isLocalTracker(tracker: Tracker | null): tracker is LocalTracker {
  return tracker !== null && 'issues' in tracker
}
