// The configuration, what it may run, and the repositories it names.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SUBMODULE_COMMAND } from '../../../config/init/detect-project.ts'
import type { ProjectConfig } from '../../../contract/config.ts'
import { plural } from '../../../core/text/format-age.ts'
import { tryGit } from '../../../git/git.ts'
import { findUntrusted } from '../../../manager/consent-items.ts'
import type { Finding } from '../../print/findings.ts'
import type { Io } from '../../print/io.ts'
import type { Ao } from '../open-ao.ts'

export async function checkProjects(ao: Ao, io: Io): Promise<Finding[]> {
  const { config } = ao
  const projects = Object.values(config.projects)
  const untrusted = await findUntrusted(ao.context)
  const trust: Finding[] = untrusted.map(({ what }) => ({
    level: 'warn',
    name: 'trust',
    detail: what,
    fix: 'Read it, then: ao config trust',
  }))
  return [
    { level: 'pass', name: 'configuration', detail: `${config.configPath}, ${plural(projects.length, 'project')}` },
    ...trust,
    ...(await Promise.all(projects.map((project) => checkRepository(project, io)))),
    ...projects.flatMap(checkSubmodules),
  ]
}

async function checkRepository(project: ProjectConfig, io: Io): Promise<Finding> {
  const name = `project ${project.id}`
  const git = (...args: string[]) => tryGit(project.path, args, { env: io.env, read: true, timeoutMs: 5_000 })
  const inside = await git('rev-parse', '--git-dir')
  if (!inside.ok) {
    const fix = `Correct projects.${project.id}.path`
    return { level: 'fail', name, detail: `${project.path} is not a git repository`, fix }
  }
  const branches = [`refs/heads/${project.defaultBranch}`, `refs/remotes/origin/${project.defaultBranch}`]
  const resolved = await Promise.all(branches.map((ref) => git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`)))
  if (resolved.some(({ ok }) => ok))
    return { level: 'pass', name, detail: `${project.path} on ${project.defaultBranch}` }
  return {
    level: 'fail',
    name,
    detail: `${project.path} has no branch ${project.defaultBranch} with a commit`,
    fix: `Commit something, or correct projects.${project.id}.defaultBranch`,
  }
}

/** git leaves their directories empty in a new worktree, without a warning. */
function checkSubmodules({ id, path, postCreate = [] }: ProjectConfig): Finding[] {
  if (!existsSync(join(path, '.gitmodules')) || postCreate.some((line) => line.includes('submodule'))) return []
  const fix = `Add to projects.${id}.postCreate: ${SUBMODULE_COMMAND}`
  return [{ level: 'warn', name: `submodules of ${id}`, detail: 'their directories are empty in every session', fix }]
}
