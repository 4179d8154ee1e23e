// The issues of the project, wherever its tracker keeps them. Ours supports everything; another tracker only what every
// tracker supports.

import { type OpenProject, openProject, trackerOf } from '../../cli/ao/pr/open-forge.ts'
import type { Io } from '../../cli/print/io.ts'
import type { Tracker } from '../../slots/tracker.ts'
import { GhError } from '../gh-error.ts'
import { repoName, requireOurRepo } from '../which-repo.ts'

export interface GhIssues extends OpenProject {
  tracker: Tracker
  repo: string
}

export async function openIssues(io: Io, { repo }: { repo: string | undefined }): Promise<GhIssues> {
  const opened = await openProject(io)
  requireOurRepo(opened.project.id, repo, io.env)
  return { ...opened, tracker: await trackerOf(opened), repo: repoName(opened.project.id) }
}

export function keptElsewhere(tracker: Tracker, what: string): GhError {
  return new GhError(`${what} is not available here: the issues of this project are kept by ${tracker.name}, not by ao`)
}

export function requireIssueId(positionals: readonly string[]): string {
  if (positionals[0] !== undefined) return positionals[0]
  throw new GhError('issue number or url is required')
}
