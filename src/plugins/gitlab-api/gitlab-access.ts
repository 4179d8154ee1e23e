// What GitLab reports about a project and the requesting token.
import type { ProjectConfig } from '../../contract/config.ts'
import type { AccessReport } from '../../slots/scm.ts'
import { checkAccess } from '../http-api/check-access.ts'
import { forgeRow } from '../http-api/forge-address.ts'
import type { GitlabClient } from './gitlab-client.ts'
import { apiPathOf } from './project-path.ts'

interface Level {
  access_level: number
}

interface GitlabProject {
  permissions?: { project_access?: Level | null; group_access?: Level | null }
}

/** Developer: may push. */
const DEVELOPER = 30

export async function gitlabAccess(client: GitlabClient, project: ProjectConfig): Promise<AccessReport> {
  const question = { forge: forgeRow('gitlab'), apiUrl: client.apiUrl, repo: project.repo ?? project.id }
  return checkAccess(question, async () => {
    const { data } = await client.call<GitlabProject>(apiPathOf(project))
    return { mayWrite: mayWrite(data), missing: null }
  })
}

/** An administrator has neither access and may do everything, so nothing follows from having none. */
function mayWrite({ permissions }: GitlabProject): boolean | null {
  const levels = [permissions?.project_access, permissions?.group_access].flatMap((one) => one?.access_level ?? [])
  return levels.length === 0 ? null : Math.max(...levels) >= DEVELOPER
}
