// `-R owner/repo` and GH_REPO: there is one repository here, and no other one is ever answered for.
import { GhError } from './gh-error.ts'

/** What gh calls the owner of the repositories that ao keeps. */
export const OWNER = 'projects'

export function repoName(projectId: string): string {
  return `${OWNER}/${projectId}`
}

export function requireOurRepo(projectId: string, given: string | undefined, env: NodeJS.ProcessEnv): void {
  if (given !== undefined) requireRepo(projectId, given, '-R')
  else if (env.GH_REPO) requireRepo(projectId, env.GH_REPO, 'GH_REPO')
}

export function isOurRepo(projectId: string, owner: string, name: string): boolean {
  return owner.toLowerCase() === OWNER && name.toLowerCase() === projectId.toLowerCase()
}

function requireRepo(projectId: string, given: string, origin: string): void {
  const { host, owner, name } = parseRepo(given)
  const isHere = host === null || /^(localhost|127\.0\.0\.1)(:\d+)?$/.test(host)
  if (isHere && isOurRepo(projectId, owner, name)) return
  throw new GhError(
    `${given} (${origin}) is another repository: ao keeps only ${repoName(projectId)} here, and cannot answer for others`,
  )
}

/** `[HOST/]OWNER/REPO` or a URL. */
function parseRepo(given: string): { host: string | null; owner: string; name: string } {
  const path = given
    .trim()
    .replace(/^(?:https?|ssh|git):\/\/(?:[^@/]*@)?/, '')
    .replace(/^[^@/]+@([^:/]+):/, '$1/')
    .replace(/\.git$|\/$/, '')
  const parts = path.split('/')
  if (parts.length < 2 || parts.length > 3 || parts.some((part) => part === ''))
    throw new GhError(`expected the "[HOST/]OWNER/REPO" format, got "${given}"`)
  const [name = '', owner = '', host = null] = parts.toReversed()
  return { host, owner, name }
}
