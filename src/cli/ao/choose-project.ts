// Which project a command means: named, else inferred from the directory and the environment, else asked.
import { realpathSync } from 'node:fs'
import { sep } from 'node:path'
import type { OrchestratorConfig, ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { requireNamed } from '../../core/text/nearest-word.ts'
import { isInside } from '../../lib/inside-directory.ts'
import type { Io } from '../print/io.ts'

export interface IssueReference {
  projectId: string
  issueId: string
}

/** `<project>/<issue>` and `<prefix>/<issue>` name the project too; anything else is the issue alone. */
export function splitIssue(config: OrchestratorConfig, text: string): { projectId?: string; issueId: string } {
  const slash = text.indexOf('/')
  if (slash <= 0 || slash === text.length - 1) return { issueId: text }
  const word = text.slice(0, slash)
  const project = ownProject(config, word) ?? Object.values(config.projects).find((one) => one.sessionPrefix === word)
  return project ? { projectId: project.id, issueId: text.slice(slash + 1) } : { issueId: text }
}

export function chooseProject(config: OrchestratorConfig, named: string | undefined, io: Io): ProjectConfig {
  if (named !== undefined) return requireProject(config, named)
  const projects = Object.values(config.projects)
  if (projects.length === 1) return projects[0]!
  const fromEnv = io.env.AO_PROJECT_ID
  if (fromEnv) return requireProject(config, fromEnv)
  const around = projectAround(config, io)
  if (around) return around
  const ids = projects.map(({ id }) => id)
  if (ids.length === 0) {
    throw new AoError('CONFIG_INVALID', `There is no project in ${config.configPath}`, {
      hint: 'Add one under projects: in that file',
    })
  }
  throw new AoError('PROJECT_AMBIGUOUS', `Which project? The configuration has: ${ids.join(', ')}`, {
    details: { projects: ids },
  })
}

export function requireProject({ projects }: OrchestratorConfig, id: string): ProjectConfig {
  const details = { projectId: id, projects: Object.keys(projects) }
  return requireNamed(projects, { kind: 'project', name: id, code: 'PROJECT_NOT_FOUND', details })
}

/** The innermost project whose repository contains the current directory; or the one whose worktree does. */
function projectAround(config: OrchestratorConfig, io: Io): ProjectConfig | null {
  const here = realPath(io.cwd)
  const holding = Object.values(config.projects)
    .map((project) => ({ project, path: realPath(project.path) }))
    .filter(({ path }) => isInside(path, here))
    .sort((a, b) => b.path.length - a.path.length)[0]
  if (holding) return holding.project
  const worktree = isInside(realPath(io.home), here) ? worktreeProject(here) : undefined
  return worktree === undefined ? null : (ownProject(config, worktree) ?? null)
}

/** Worktrees are in `…/.worktrees/{projectId}/{sessionId}`. */
function worktreeProject(path: string): string | undefined {
  const parts = path.split(sep)
  const base = parts.lastIndexOf('.worktrees')
  return base === -1 ? undefined : parts[base + 1]
}

function ownProject(config: OrchestratorConfig, id: string): ProjectConfig | undefined {
  return Object.hasOwn(config.projects, id) ? config.projects[id] : undefined
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // A project whose directory is gone contains nothing.
    return path
  }
}
