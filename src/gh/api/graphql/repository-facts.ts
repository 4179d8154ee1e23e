// The repository as a GraphQL node, as far as it needs nothing from the disk.
import type { Gh } from '../../open-gh.ts'
import { OWNER } from '../../which-repo.ts'
import { describeRepo } from '../rest/describe-names.ts'

export function repositoryFacts(gh: Gh) {
  const { id, node_id: node, name, full_name: nameWithOwner, html_url: url, description } = describeRepo(gh)
  return {
    __typename: 'Repository',
    id: node,
    databaseId: id,
    name,
    nameWithOwner,
    url,
    description,
    owner: { __typename: 'Organization', id: `O_${OWNER}`, login: OWNER, url, avatarUrl: '' },
    isPrivate: true,
    isFork: false,
    isArchived: false,
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
