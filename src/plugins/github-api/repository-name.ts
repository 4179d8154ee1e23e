// Which repository on GitHub or Forgejo a project, a URL or a short reference means.
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { PullNames } from '../forge-git/pull-names.ts'

export interface RepositoryName {
  owner: string
  repo: string
}

const PART = /^[A-Za-z0-9_.-]{1,100}$/

export function repositoryOf(project: ProjectConfig): RepositoryName {
  const [owner = '', repo = '', ...rest] = (project.repo ?? '').split('/')
  if (PART.test(owner) && PART.test(repo) && rest.length === 0) return { owner, repo }
  const configured = project.repo === undefined ? 'says no repository' : `says ${JSON.stringify(project.repo)}`
  throw new AoError('CONFIG_INVALID', `Project ${project.id} ${configured}; owner/name is needed`, {
    hint: `Set projects.${project.id}.repo in agent-orchestrator.yaml to owner/name`,
    details: { project: project.id, repo: project.repo ?? null },
  })
}

export interface Reference extends Partial<RepositoryName> {
  number: number
}

/** `42`, `#42`, `owner/name#42` or the URL of an issue or pull request on this host. null: none of these. */
export function parseReference(text: string, kind: 'issues' | 'pull', webUrl: string): Reference | null {
  const plain = /^#?([1-9][0-9]{0,9})$/.exec(text.trim())
  if (plain) return { number: Number(plain[1]) }
  const short = /^([\w.-]+)\/([\w.-]+)#([1-9][0-9]{0,9})$/.exec(text.trim())
  if (short) return { owner: short[1]!, repo: short[2]!, number: Number(short[3]) }
  return parseUrl(text.trim(), kind, webUrl)
}

/** `owner/name#42`; null: its repository is not in it. */
export function nameOfReference(reference: Reference | null): string | null {
  if (reference?.owner === undefined || reference.repo === undefined) return null
  return `${reference.owner}/${reference.repo}#${reference.number}`
}

function isSameRepository(
  reference: { owner?: string | undefined; repo?: string | undefined },
  name: RepositoryName,
): boolean {
  if (reference.owner === undefined || reference.repo === undefined) return true
  const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
  return same(reference.owner, name.owner) && same(reference.repo, name.repo)
}

/** null: the text names nothing of this project. */
export function numberInProject(
  text: string,
  kind: 'issues' | 'pull',
  project: ProjectConfig,
  webUrl: string,
): number | null {
  const reference = parseReference(text, kind, webUrl)
  return reference !== null && isSameRepository(reference, repositoryOf(project)) ? reference.number : null
}

export function repositoryPulls(webUrl: string): PullNames {
  return {
    noun: 'pull request',
    sign: '#',
    repoOf: fullName,
    numberIn: (text, project) => numberInProject(text, 'pull', project, webUrl),
  }
}

export function fullName(project: ProjectConfig): string {
  const { owner, repo } = repositoryOf(project)
  return `${owner}/${repo}`
}

function parseUrl(text: string, kind: 'issues' | 'pull', webUrl: string): Reference | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  if (url.host.toLowerCase() !== new URL(webUrl).host.toLowerCase()) return null
  const match = /^\/([\w.-]+)\/([\w.-]+)\/(issues|pulls?)\/([1-9][0-9]{0,9})(?:\/|$)/.exec(url.pathname)
  if (!match || match[3]!.replace(/^pulls$/, 'pull') !== kind) return null
  return { owner: match[1]!, repo: match[2]!, number: Number(match[4]) }
}
