// Everything that still needs the user's consent: in the configuration, and in the files of the repositories that agents
// obey, wherever an agent could meet them: the main checkout, the branch new work starts from, workspaces of sessions.

import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agentFileItems } from '../config/trust/agent-files.ts'
import { untrustedItems, withoutTrusted } from '../config/trust/trust.ts'
import type { TrustItem } from '../config/trust/trust-items.ts'
import { ALL_AGENT_FILES, DEVCONTAINER_FILES, filesOfAgent } from '../contract/agents/agent-files.ts'
import type { ProjectConfig } from '../contract/config.ts'
import { recordOf } from '../contract/record.ts'
import { fallbackOf } from '../core/budget/choose-fallback.ts'
import { resolveLaunch } from '../core/session/plan-launch.ts'
import { runGit, tryGit } from '../git/git.ts'
import { removeTree } from '../lib/remove.ts'
import { storedSessions } from './active.ts'
import type { ManagerContext } from './context.ts'
import { checkoutAt, fileOwner, repositoryFiles } from './launch/start-agent.ts'

export interface ConsentQuestion {
  /** An additional branch or commit whose files count. */
  ref?: string | undefined
}

export async function findUntrusted(context: ManagerContext, question: ConsentQuestion = {}): Promise<TrustItem[]> {
  const location = { home: context.paths.home, env: context.env }
  const found = untrustedItems(context.config, location)
  for (const project of Object.values(context.config.projects)) {
    found.push(...withoutTrusted(await projectFiles(context, project, question), location))
  }
  return [...new Map(found.map((item) => [item.hash, item])).values()]
}

async function projectFiles(
  context: ManagerContext,
  project: ProjectConfig,
  { ref }: ConsentQuestion,
): Promise<TrustItem[]> {
  const { env } = context
  const owner = fileOwner(context, project)
  const entries = await entriesOf(context, project)
  const sessions = storedSessions(context, project.id).flatMap(({ workspacePath }) => workspacePath ?? [])
  const directories = [...new Set([project.path, ...sessions])].filter((path) => existsSync(path))
  const items: TrustItem[] = []
  for (const directory of directories) {
    items.push(...(await agentFileItems(checkoutAt(directory, env), entries, owner)))
  }
  const { defaultBranch } = project
  const refs = [`refs/remotes/origin/${defaultBranch}`, `refs/heads/${defaultBranch}`, ...(ref ? [ref] : [])]
  for (const one of refs) {
    await withFilesOf(project, one, entries, env, async (directory) => {
      items.push(...(await agentFileItems({ directory, isTracked: async () => true }, entries, owner)))
    })
  }
  return items
}

/** For every agent that the project starts or has started. */
async function entriesOf(context: ManagerContext, project: ProjectConfig): Promise<string[]> {
  const accounts = [undefined, ...fallbackOf(context.config, project)]
  const chosen = (['worker', 'orchestrator', 'reviewer'] as const).flatMap((role) =>
    accounts.map((account) => resolveLaunch(context.config, project, role, { account }).agent),
  )
  const started = storedSessions(context, project.id).flatMap((session) => recordOf(session).agent ?? [])
  const names = [...new Set([...chosen, ...started])]
  const lists = names.map(async (name) => {
    try {
      const agent = await context.registry.find('agent', name)
      return agent === null ? ALL_AGENT_FILES : repositoryFiles(agent)
    } catch {
      // Not agreed to yet, or broken: what it obeys is unknown.
      return filesOfAgent(name) ?? ALL_AGENT_FILES
    }
  })
  return [...new Set([...(await Promise.all(lists)).flat(), ...(await placeEntries(context, project))])]
}

/** For every place that its sessions may run in. */
async function placeEntries({ registry, config }: ManagerContext, project: ProjectConfig): Promise<string[]> {
  const names = [project.runtime ?? config.defaults.runtime, ...Object.keys(config.places ?? {})]
  const lists = names.map(async (name) => {
    try {
      return (await registry.find('runtime', name))?.elsewhere?.repositoryFiles ?? []
    } catch {
      // Not agreed to yet, or broken: what it would obey is asked for at the same time.
      return DEVCONTAINER_FILES
    }
  })
  return (await Promise.all(lists)).flat()
}

/** The files as git would check them out, in a temporary directory. The callback is not called when there are none. */
async function withFilesOf(
  project: ProjectConfig,
  ref: string,
  entries: readonly string[],
  env: NodeJS.ProcessEnv,
  use: (directory: string) => Promise<void>,
): Promise<void> {
  if (entries.length === 0 || !existsSync(project.path)) return
  const pathspecs = entries.map((entry) => `:(top,literal)${entry}`)
  const listed = await tryGit(project.path, ['ls-tree', '-r', '-z', '--full-tree', `${ref}^{tree}`, '--', ...entries], {
    env,
    read: true,
  })
  if (!listed.ok || listed.stdout === '') return
  const scratch = mkdtempSync(join(tmpdir(), 'ao-consent-'))
  try {
    const own = { env, extraEnv: { GIT_INDEX_FILE: join(scratch, 'index') } }
    await runGit(project.path, ['read-tree', `${ref}^{tree}`], own)
    const files = await runGit(project.path, ['ls-files', '-z', '--', ...pathspecs], own)
    const prefix = `${join(scratch, 'tree')}/`
    await runGit(project.path, ['checkout-index', '-z', '--stdin', `--prefix=${prefix}`], { ...own, input: files })
    await use(prefix.slice(0, -1))
  } finally {
    removeTree(scratch)
  }
}
