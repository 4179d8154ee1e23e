// What no session owns. Worktrees and runtimes are only reported: they may contain somebody's work. What killed
// commands left is removed by --fix.
import { realpathSync } from 'node:fs'
import type { ProjectConfig } from '../../../contract/config.ts'
import { errorText } from '../../../contract/errors.ts'
import type { Session } from '../../../contract/session.ts'
import { resolveLaunch, resolveWorkspace } from '../../../core/session/plan-launch.ts'
import { quoteForShell } from '../../../core/text/command-line.ts'
import { type Finding, guarded } from '../../print/findings.ts'
import type { Ao } from '../open-ao.ts'

export async function checkLeftovers(ao: Ao, { fix }: { fix: boolean }): Promise<Finding[]> {
  const sessions = await ao.manager.list()
  const projects = Object.values(ao.config.projects)
  const workspaces = await Promise.all(
    projects.map((project) =>
      guarded(`worktrees of ${project.id}`, () => findWorkspaces(ao, project, sessions), 'warn'),
    ),
  )
  const runtimes = [...new Set(projects.map((project) => resolveLaunch(ao.config, project, 'worker').runtime))]
  const running = await Promise.all(
    runtimes.map((name) => guarded(`runtime ${name}`, () => findRuntimes(ao, name, sessions), 'warn')),
  )
  const killed = await guarded('killed commands', () => findLeft(ao, fix), 'warn')
  const found = [...workspaces, ...running, killed].flat()
  return found.length > 0 ? found : [{ level: 'pass', name: 'leftovers', detail: 'none' }]
}

async function findWorkspaces(ao: Ao, project: ProjectConfig, sessions: Session[]): Promise<Finding[]> {
  const choice = project.workspace ?? resolveWorkspace(ao.config, project)
  const workspace = await ao.registry.load('workspace', choice)
  const ids = new Set(sessions.map(({ id }) => id))
  const paths = new Set([project.path, ...sessions.flatMap(({ workspacePath }) => workspacePath ?? [])].map(realPath))
  const all = await workspace.list(project.id, project)
  return all
    .filter(({ path, sessionId }) => !paths.has(realPath(path)) && !ids.has(sessionId))
    .map(({ path, branch }) => ({
      level: 'warn' as const,
      name: `worktree of ${project.id}`,
      detail: `${path} on ${branch} belongs to no session`,
      fix: `When it holds nothing you need: git -C ${quoteForShell(project.path)} worktree remove ${quoteForShell(path)}`,
    }))
}

function howToMove(path: string): string {
  return `Look at it, then move it away: mv ${quoteForShell(path)} ${quoteForShell(`${path}.kept`)}`
}

async function findLeft(ao: Ao, fix: boolean): Promise<Finding[]> {
  const left = await ao.manager.findLeftovers()
  const findings = left.map(async ({ path, what, remove }): Promise<Finding> => {
    const about = { name: 'left behind', detail: `${path}: ${what}` }
    if (!remove) return { ...about, level: 'warn', fix: howToMove(path) }
    if (!fix) return { ...about, level: 'warn', fix: 'Remove it with: ao doctor --fix' }
    try {
      await remove()
      return { ...about, level: 'pass', detail: `${path}: ${what}; it was removed` }
    } catch (error) {
      return { ...about, level: 'warn', detail: `${path}: ${what}; it could not be removed: ${errorText(error)}` }
    }
  })
  return Promise.all(findings)
}

async function findRuntimes(ao: Ao, name: string, sessions: Session[]): Promise<Finding[]> {
  const runtime = await ao.registry.load('runtime', name)
  const prefix = `${ao.paths.hash}-`
  const owned = new Set(sessions.map(({ runtimeHandle }) => runtimeHandle?.id))
  const names = (await runtime.listNames?.()) ?? []
  return names
    .filter((one) => one.startsWith(prefix) && !owned.has(one))
    .map((one) => ({
      level: 'warn' as const,
      name: `runtime ${name}`,
      detail: `${one.slice(prefix.length)} is still running, but there is no such session`,
      fix: `Look at it with the tools of ${name}, then end it`,
    }))
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // Gone: only its name can be compared.
    return path
  }
}
