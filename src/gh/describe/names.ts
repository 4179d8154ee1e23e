// People, labels, commits and the repository, with their addresses.
import { createLabelStore, findLabel, type LocalLabel, PLAIN_COLOR } from '../../forge/label-store.ts'
import { pageAddress } from '../../slots/page-address.ts'
import { numericId } from '../ids.ts'
import type { Gh } from '../open-gh.ts'
import { OWNER, repoName } from '../which-repo.ts'
import { connection, type Node } from './node.ts'

export const ASSOCIATION = 'MEMBER'

export function webUrl({ forge, project }: Gh): string {
  return `${pageAddress(forge.context)}/projects/${project.id}`
}

/** What `gh api` accepts back unchanged. */
export function apiUrl({ forge, project }: Gh, path: string): string {
  return `${apiOrigin(forge)}/repos/${repoName(project.id)}${path === '' ? '' : `/${path}`}`
}

/** Without the part of a page's address that names the repository: a path of GitHub's API follows. */
export function apiOrigin({ context }: Gh['forge']): string {
  return new URL(pageAddress(context)).origin
}

export function describeUser(login: string, isBot = false): Node {
  return {
    __typename: isBot ? 'Bot' : 'User',
    id: `U_${login}`,
    databaseId: numericId(`user ${login}`),
    login,
    name: login,
    url: `http://localhost/users/${encodeURIComponent(login)}`,
    avatarUrl: '',
  }
}

export function describeUsers(logins: readonly string[]) {
  return connection(
    () => logins,
    (login) => describeUser(login),
  )
}

export function describeLabel(gh: Gh, { name, color, description }: LocalLabel): Node {
  const url = apiUrl(gh, `labels/${encodeURIComponent(name)}`)
  const databaseId = numericId(`label ${name}`)
  return { __typename: 'Label', id: `LA_${name}`, databaseId, name, color, description, url, isDefault: false }
}

/** With the colours and descriptions that the project has given them. */
export function describeLabels(gh: Gh, names: readonly string[]) {
  return connection(
    () => {
      const described = names.length === 0 ? [] : createLabelStore(gh.forge.projectDir).list()
      return names.map((name) => findLabel(described, name) ?? { name, color: PLAIN_COLOR, description: '' })
    },
    (label) => describeLabel(gh, label),
    ['orderBy'],
  )
}

/** A commit of which only the name is known. */
export function describeSha(gh: Gh, sha: string): Node {
  const url = `${webUrl(gh)}/commit/${sha}`
  return { __typename: 'Commit', id: `C_${sha}`, oid: sha, abbreviatedOid: sha.slice(0, 7), url }
}

export function describeRef(gh: Gh, name: string, sha: string | null): Node {
  const target = sha === null ? null : describeSha(gh, sha)
  return { __typename: 'Ref', id: `REF_${name}`, name, prefix: 'refs/heads/', target }
}

/** As far as it needs nothing from the disk. */
export function describeRepo(gh: Gh): Node {
  const { project, repo } = gh
  const url = webUrl(gh)
  return {
    __typename: 'Repository',
    id: `R_${project.id}`,
    databaseId: numericId(`repo ${project.id}`),
    name: project.id,
    nameWithOwner: repo,
    url,
    sshUrl: project.path,
    description: project.name,
    owner: { __typename: 'Organization', id: `O_${OWNER}`, login: OWNER, url, avatarUrl: '' },
    defaultBranch: project.defaultBranch,
    isPrivate: true,
    isFork: false,
    isArchived: false,
    isDisabled: false,
    isEmpty: false,
    visibility: 'PRIVATE',
    viewerPermission: 'WRITE',
    hasIssuesEnabled: true,
    hasProjectsEnabled: false,
    hasWikiEnabled: false,
    mergeCommitAllowed: true,
    squashMergeAllowed: true,
    rebaseMergeAllowed: true,
    autoMergeAllowed: false,
    deleteBranchOnMerge: false,
  }
}
