// What Forgejo says about moving the base branch.
import type { ProjectConfig } from '../../contract/config.ts'
import type { MergeMethod } from '../../contract/forges.ts'
import type { LandingRules } from '../../slots/scm.ts'
import { apiPathOf, type ForgejoClient } from '../forgejo-api/forgejo-client.ts'

interface ForgejoRepository {
  permissions?: { push?: boolean }
  allow_merge_commits?: boolean
  allow_squash_merge?: boolean
  allow_rebase?: boolean
}

interface ForgejoBranch {
  protected?: boolean
  user_can_merge?: boolean
}

const ALLOWED = { merge: 'allow_merge_commits', squash: 'allow_squash_merge', rebase: 'allow_rebase' } as const

export async function readLandingRules(
  client: ForgejoClient,
  project: ProjectConfig,
  method: MergeMethod,
): Promise<LandingRules> {
  const path = apiPathOf(project)
  const { data: repository } = await client.call<ForgejoRepository>(path)
  const branch = encodeURIComponent(project.defaultBranch)
  const { data: base } = await client.call<ForgejoBranch>(`${path}/branches/${branch}`)
  return {
    hasQueue: false,
    isProtected: base.protected ?? false,
    obstacles: [
      ...(repository.permissions?.push === false ? ['the token may not push'] : []),
      ...(base.user_can_merge === false ? [`the token may not merge into ${project.defaultBranch}`] : []),
      ...(repository[ALLOWED[method]] === false ? [`the repository does not allow the merge method ${method}`] : []),
    ],
  }
}
