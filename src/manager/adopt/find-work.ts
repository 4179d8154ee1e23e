// Reads what could be adopted: worktrees and branches of the project's repository, agents' own conversations in them, and agents that
// are running there. Everything that was read was written by others: a path counts only if the repository itself has it.
import { lstatSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { AGENT_TABLE } from '../../contract/agents/agent-table.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { recordOf } from '../../contract/record.ts'
import { storedSession } from '../../contract/stored-session.ts'
import { type Adoptable, type FoundWork, planAdoption } from '../../core/session/plan-adoption.ts'
import { branchOf, listRegistrations, whereCheckedOut } from '../../git/checkouts.ts'
import { locateGit } from '../../git/git-dir.ts'
import { openRepository, type Repository, tryGitOn } from '../../git/repository.ts'
import { readMarker } from '../../git/workspace/record.ts'
import { type ManagerContext, projectIds, requireProject } from '../context.ts'
import { type FoundAgent, findRunning } from './running-agents.ts'

export interface Preview {
  project: string
  /** The id that the next one would get. */
  sessionId: string
  work: Adoptable[]
}

/** What `ao adopt` would do now, for each; changes nothing. */
export async function listAdoptable(context: ManagerContext, projectId: string, name?: string): Promise<Preview> {
  const project = requireProject(context, projectId)
  const { work } = await findWork(context, project, name)
  const number = context.store(project.id).nextNumber(project.sessionPrefix)
  return { project: project.id, sessionId: `${project.sessionPrefix}-${number}`, work }
}

/** `name`: one that a person names may also be a branch that has landed. */
export async function findWork(
  context: ManagerContext,
  project: ProjectConfig,
  name?: string,
): Promise<{ work: Adoptable[]; running: FoundAgent[] }> {
  const repository = openRepository(project.path, context.env)
  const main = { path: project.path, branch: branchOf(locateGit(project.path)!.gitDir) }
  const worktrees = foreignWorktrees(repository)
  const taken = takenBySessions(context)
  const directories = [main, ...worktrees].map(({ path }) => path).filter((path) => !taken.paths.has(path))
  const [running, conversations, branches, own] = await Promise.all([
    findRunning(context, directories),
    listConversations(context, directories),
    freeBranches(repository, project.defaultBranch, name),
    ownConversations(context, project),
  ])
  const { defaultBranch } = project
  const ids = new Set([...taken.conversations, ...own])
  const found: FoundWork = {
    ...{ main, defaultBranch, worktrees, branches, conversations, running },
    taken: { ...taken, conversations: ids },
  }
  return { work: planAdoption(found), running }
}

/** Linked worktrees of this user that no ao has made. A registration alone could name any directory: it has to point back. */
function foreignWorktrees(repository: Repository): FoundWork['worktrees'] {
  return listRegistrations(repository).flatMap(({ path, branch, gitDir }) => {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (!stats?.isDirectory() || stats.uid !== process.getuid?.()) return []
    const isMutual = locateGit(path)?.gitDir === realpathSync(gitDir)
    return isMutual && readMarker(gitDir) === null ? [{ path, branch }] : []
  })
}

/** Of every project: two of them may share a repository. The projects' own checkouts are shared anyway. */
function takenBySessions(context: ManagerContext): FoundWork['taken'] {
  const records = projectIds(context).flatMap((id) =>
    context
      .store(id)
      .readAll()
      .map(({ record }) => record),
  )
  const mains = new Set(Object.values(context.config.projects).map(({ path }) => path))
  const paths = records.flatMap(({ worktree }) => (worktree && !mains.has(worktree) ? resolve(worktree) : []))
  return {
    paths: new Set(paths),
    branches: new Set(records.flatMap(({ branch }) => branch ?? [])),
    conversations: new Set(records.flatMap(({ conversation }) => conversation ?? [])),
  }
}

/** Those of sessions that work in the project's own checkout, such as its orchestrator. */
async function ownConversations(context: ManagerContext, project: ProjectConfig): Promise<string[]> {
  const store = context.store(project.id)
  const sessions = store
    .readAll()
    .filter(({ record }) => record.worktree === undefined || record.worktree === project.path)
    .map((stored) => storedSession(stored, project.id))
  const ids = sessions.map(async (session) => {
    const agent = await context.registry.find('agent', recordOf(session).agent ?? '').catch(() => null)
    const stateDir = store.paths.stateDir(session.id)
    const options = { stateDir, now: context.clock.now(), readyThresholdMs: context.config.readyThresholdMs }
    return (await agent?.getSessionInfo(session, options).catch(() => null))?.agentSessionId ?? []
  })
  return (await Promise.all(ids)).flat()
}

async function listConversations(
  context: ManagerContext,
  directories: readonly string[],
): Promise<FoundWork['conversations']> {
  const lists = AGENT_TABLE.map(async ({ name }) => {
    const agent = await context.registry.find('agent', name).catch(() => null)
    const found = (await agent?.listConversations?.(directories)) ?? []
    return found.filter(({ directory }) => directories.includes(directory)).map((one) => ({ ...one, agent: name }))
  })
  return (await Promise.all(lists)).flat()
}

const LISTED_BRANCHES = '50'

async function freeBranches(
  repository: Repository,
  defaultBranch: string,
  name: string | undefined,
): Promise<FoundWork['branches']> {
  const base = `refs/heads/${defaultBranch}`
  const which = name === undefined ? ['refs/heads', '--count', LISTED_BRANCHES] : [`refs/heads/${name}`]
  const format = '--format=%(refname)%00%(committerdate:iso-strict)'
  const ask = (more: string[]) =>
    tryGitOn(repository, ['for-each-ref', '--sort=-committerdate', format, ...more, ...which], { read: true })
  const unmerged = name === undefined ? await ask([`--no-merged=${base}`]) : null
  const listed = unmerged?.ok ? unmerged : await ask([])
  if (!listed.ok) return []
  return listed.stdout.split('\n').flatMap((line) => {
    const [ref = '', date = ''] = line.split('\0')
    const branch = ref.slice('refs/heads/'.length)
    if (branch === '' || whereCheckedOut(repository, branch) !== null) return []
    const at = new Date(date)
    return [{ name: branch, at: Number.isNaN(at.getTime()) ? null : at }]
  })
}
