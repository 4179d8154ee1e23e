// Which project on GitLab is meant, which of its issues or merge requests, and what the token may do there.
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { AccessReport } from '../../slots/scm.ts'
import type { PullNames } from '../forge-git/pull-names.ts'
import { checkAccess } from '../http-api/check-access.ts'
import { forgeRow } from '../http-api/forge-address.ts'
import type { GitlabClient } from './gitlab-client.ts'

/** `group/sub/name`. */
export function projectPathOf(project: ProjectConfig): string {
  const path = project.repo ?? ''
  if (/^[\w.-]+(?:\/[\w.-]+)+$/.test(path)) return path
  const configured = project.repo === undefined ? 'says no repository' : `says ${JSON.stringify(project.repo)}`
  throw new AoError('CONFIG_INVALID', `Project ${project.id} ${configured}; GitLab needs group/name`, {
    hint: `Set projects.${project.id}.repo in agent-orchestrator.yaml to group/name`,
    details: { project: project.id, repo: project.repo ?? null },
  })
}

/** The prefix of every API path about this project. */
export function apiPathOf(project: ProjectConfig): string {
  return `/projects/${encodeURIComponent(projectPathOf(project))}`
}

const KINDS = { issues: '#', merge_requests: '!' } as const
export type Kind = keyof typeof KINDS

export interface Reference {
  /** undefined: the current project. */
  path?: string
  iid: number
}

/** `42`, `#42`, for merge requests `!42`, `group/name#42` or a URL on this host. null: none of these. */
export function parseReference(text: string, kind: Kind, webUrl: string): Reference | null {
  const plain = /^([#!]?)([1-9][0-9]{0,9})$/.exec(text.trim())
  if (plain) return isSign(plain[1]!, kind) ? { iid: Number(plain[2]) } : null
  const short = /^([\w.-]+(?:\/[\w.-]+)+)([#!])([1-9][0-9]{0,9})$/.exec(text.trim())
  if (short) return short[2] === KINDS[kind] ? { path: short[1]!, iid: Number(short[3]) } : null
  if (!URL.canParse(text.trim())) return null
  const url = new URL(text.trim())
  const web = new URL(webUrl)
  if (url.host.toLowerCase() !== web.host.toLowerCase()) return null
  const base = web.pathname.replace(/(?<!\/)\/+$/, '')
  // `work_items` is what newer versions call issues.
  const pattern = /^\/([\w.-]+(?:\/[\w.-]+)+)\/(?:-\/)?(issues|work_items|merge_requests)\/([1-9][0-9]{0,9})(?:\/|$)/
  const match = url.pathname.startsWith(base) ? pattern.exec(url.pathname.slice(base.length)) : null
  if (!match) return null
  const found: Kind = match[2] === 'merge_requests' ? 'merge_requests' : 'issues'
  return found === kind ? { path: match[1]!.replace(/\/-$/, ''), iid: Number(match[3]) } : null
}

/** null: the text names nothing of this project. */
export function iidInProject(text: string, kind: Kind, project: ProjectConfig, webUrl: string): number | null {
  const reference = parseReference(text, kind, webUrl)
  return reference !== null && isSameProject(reference, projectPathOf(project)) ? reference.iid : null
}

export function mergeRequests(webUrl: string): PullNames {
  return {
    noun: 'merge request',
    sign: '!',
    repoOf: projectPathOf,
    numberIn: (text, project) => iidInProject(text, 'merge_requests', project, webUrl),
  }
}

function isSameProject(reference: Reference, path: string): boolean {
  return reference.path === undefined || reference.path.toLowerCase() === path.toLowerCase()
}

/** People write `#42` for both. */
function isSign(sign: string, kind: Kind): boolean {
  return sign !== '!' || kind === 'merge_requests'
}

interface Level {
  access_level: number
}

/** As far as it says what the token may do. */
export interface GitlabProject {
  permissions?: { project_access?: Level | null; group_access?: Level | null }
}

/** May push. A guest or reporter may only read. */
export const DEVELOPER = 30

export async function gitlabAccess(client: GitlabClient, project: ProjectConfig): Promise<AccessReport> {
  const question = { forge: forgeRow('gitlab'), apiUrl: client.apiUrl, repo: project.repo ?? project.id }
  return checkAccess(question, async () => {
    const { data } = await client.call<GitlabProject>(apiPathOf(project))
    const level = levelOf(data)
    return { mayWrite: level === null ? null : level >= DEVELOPER, missing: null }
  })
}

/** null: GitLab does not say; an administrator has neither access and may do everything. */
export function levelOf({ permissions }: GitlabProject): number | null {
  const levels = [permissions?.project_access, permissions?.group_access].flatMap((one) => one?.access_level ?? [])
  return levels.length === 0 ? null : Math.max(...levels)
}
