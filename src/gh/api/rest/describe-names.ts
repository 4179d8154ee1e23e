// People, labels and URLs in REST responses.
import { createLabelStore, findLabel, PLAIN_COLOR } from '../../../forge/label-store.ts'
import { projectDirectory } from '../../../forge/project-directory.ts'
import { pageAddress } from '../../../slots/page-address.ts'
import { numericId } from '../../ids.ts'
import type { Gh } from '../../open-gh.ts'
import { OWNER, repoName } from '../../which-repo.ts'

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

export function describeUser(login: string, isBot = false) {
  return {
    login,
    id: numericId(`user ${login}`),
    node_id: `U_${login}`,
    type: isBot ? 'Bot' : 'User',
    site_admin: false,
    avatar_url: '',
    url: `http://localhost/users/${encodeURIComponent(login)}`,
    html_url: `http://localhost/users/${encodeURIComponent(login)}`,
  }
}

export function describeLabels(gh: Gh, names: readonly string[]) {
  const { forge } = gh
  const described = names.length === 0 ? [] : createLabelStore(projectDirectory(forge.context, forge.project.id)).list()
  return names.map((name) =>
    describeLabel(gh, findLabel(described, name) ?? { name, color: PLAIN_COLOR, description: '' }),
  )
}

export function describeLabel(
  gh: Gh,
  { name, color, description }: { name: string; color: string; description: string },
) {
  const url = apiUrl(gh, `labels/${encodeURIComponent(name)}`)
  return { id: numericId(`label ${name}`), node_id: `LA_${name}`, url, name, color, description, default: false }
}

export function describeRepo(gh: Gh) {
  const { project } = gh
  return {
    id: numericId(`repo ${project.id}`),
    node_id: `R_${project.id}`,
    name: project.id,
    full_name: repoName(project.id),
    owner: { ...describeUser(OWNER), type: 'Organization' },
    private: true,
    visibility: 'private',
    html_url: webUrl(gh),
    url: apiUrl(gh, ''),
    description: project.name,
    fork: false,
    archived: false,
    disabled: false,
    default_branch: project.defaultBranch,
    clone_url: project.path,
    ssh_url: project.path,
    git_url: project.path,
    has_issues: true,
    has_projects: false,
    has_wiki: false,
    allow_squash_merge: true,
    allow_merge_commit: true,
    allow_rebase_merge: true,
    allow_auto_merge: false,
    delete_branch_on_merge: false,
    permissions: { admin: false, maintain: false, push: true, triage: true, pull: true },
  }
}
