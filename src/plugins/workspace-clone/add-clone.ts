// Creates a clone on its branch, all or nothing: it is built next to its path and appears there in one step.
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { whereCheckedOut } from '../../git/checkouts.ts'
import { runGit, tryGit } from '../../git/git.ts'
import { gitOn, openRepository, type Repository, tryGitOn } from '../../git/repository.ts'
import { checkBranch, planBranch, settleForNewSession, type WorkspaceJob } from '../../git/workspace/plan-workspace.ts'
import {
  claimPath,
  clearAbandoned,
  creationEnv,
  listRecords,
  newRecord,
  updateRecord,
  type WorkspaceRecord,
  writeMarker,
} from '../../git/workspace/record.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { readBytes } from '../../lib/plain-file.ts'
import { removeTree } from '../../lib/remove.ts'
import { syncFileSystems } from '../../lib/sync-file-systems.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import type { WorkspaceInfo, WorkspaceSpec } from '../../slots/workspace.ts'
import { clearClone, growingPath, rollBackClone } from './remove-clone.ts'

const CLONE_TIMEOUT_MS = 30 * 60_000

/** For a new session. */
export async function createClone(spec: WorkspaceSpec, path: string, context: PluginContext): Promise<WorkspaceInfo> {
  checkBranch(spec)
  const repository = openRepository(spec.project.path, context.env)
  await clearAbandoned(path, (at, record) => clearClone(at, record, context.log))
  const plan = await planBranch(repository, spec)
  return addClone({ spec, path, repository, plan, log: context.log })
}

export async function addClone(job: WorkspaceJob): Promise<WorkspaceInfo> {
  const { spec, path, repository, plan, log } = job
  requireFreeBranch(job)
  const record: WorkspaceRecord = { ...newRecord(spec, repository, plan.isNew), base: plan.tip }
  claimPath(path, record)
  failpoint('clone.create.recorded')
  try {
    if (!job.isRestore) await settleForNewSession(repository, spec.sessionId)
    await makeClone(job, record)
    failpoint('clone.create.placed')
    if (!job.isRestore) {
      await syncFileSystems([path])
      updateRecord(path, { ...record, state: 'ready' })
    }
  } catch (error) {
    await rollBackClone(path, log).catch((failure) => {
      log.warn(`could not roll back the clone ${path}`, { error: errorText(failure) })
      updateRecord(path, { ...record, owner: 'nobody' })
    })
    throw error
  }
  const { sessionId, projectId, branch } = spec
  return { path, branch, sessionId, projectId, branchCreated: plan.isNew }
}

async function makeClone(job: WorkspaceJob, record: WorkspaceRecord): Promise<void> {
  const { path, repository, plan, spec } = job
  const growing = growingPath(path)
  removeTree(growing)
  const options = { env: repository.env, timeoutMs: CLONE_TIMEOUT_MS, extraEnv: creationEnv(record) }
  // Objects are hard links or copies, never borrowed: later changes to the project cannot break the clone.
  const borrows = existsSync(join(repository.commonDir, 'objects', 'info', 'alternates'))
  const independent = borrows ? ['--dissociate'] : []
  const cloning = ['clone', '--quiet', '--local', '--no-checkout', '--origin', 'origin', ...independent]
  await runGit(dirname(path), [...cloning, repository.commonDir, growing], options)
  failpoint('clone.create.cloned')
  await adoptSettings({ repository, project: spec.project, clone: growing })
  await runGit(growing, ['checkout', '--quiet', '--no-track', '-B', spec.branch, plan.tip], { ...options, hooks: true })
  writeMarker(join(growing, '.git'), record)
  renameSync(growing, path)
}

/** Two sessions on one branch would overwrite each other's commits when they return to the project. */
function requireFreeBranch({ repository, spec, path }: WorkspaceJob): void {
  const { branch } = spec
  const others = listRecords(dirname(path)).filter((one) => one.path !== path && existsSync(one.path))
  const clone = others.find(({ record }) => record.repository === repository.commonDir && record.branch === branch)
  const holder = whereCheckedOut(repository, branch) ?? clone?.path
  if (holder === undefined) return
  throw new AoError('BRANCH_TAKEN', `The branch ${branch} is checked out in ${holder}`, {
    details: { branch, path: holder },
  })
}

interface Adoption {
  repository: Repository
  project: ProjectConfig
  clone: string
}

const WANTED = '^(remote\\.origin\\.(url|pushurl)|(user|author|committer|commit|gpg|tag)\\..*)$'

/** Besides the commits: the real remote with its branches, the committer, and what is ignored. */
async function adoptSettings(adoption: Adoption): Promise<void> {
  const { repository, clone, project } = adoption
  const listed = await tryGitOn(repository, ['config', '--local', '-z', '--get-regexp', WANTED], { read: true })
  const settings = listed.stdout
    .split('\0')
    .filter((entry) => entry !== '')
    .map(splitSetting)
  const hasRemote = settings.some(([key]) => key === 'remote.origin.url')
  if (!hasRemote) settings.push(['remote.origin.url', project.path])
  for (const [key, value] of settings) {
    const absolute = key.startsWith('remote.') ? absoluteUrl(value, project.path) : value
    await runGit(clone, ['config', '--replace-all', key, absolute], { env: repository.env })
  }
  if (hasRemote) await adoptRemoteBranches(adoption)
  copyExcludes(adoption)
}

/** The clone was made from local branches; its `origin/…` must match the real origin. */
async function adoptRemoteBranches({ repository, clone, project }: Adoption): Promise<void> {
  const format = '--format=%(objectname) %(refname)'
  const env = repository.env
  const theirs = await gitOn(repository, ['for-each-ref', format, 'refs/remotes/origin/'], { read: true })
  const mine = await runGit(clone, ['for-each-ref', format, 'refs/remotes/origin/'], { env, read: true })
  await tryGit(clone, ['symbolic-ref', '--delete', 'refs/remotes/origin/HEAD'], { env })
  const names = (text: string) => text.split('\n').filter((line) => line !== '' && !line.endsWith('/HEAD'))
  const kept = new Set(names(theirs).map((line) => line.split(' ')[1]))
  const gone = names(mine)
    .map((line) => line.split(' ')[1]!)
    .filter((ref) => !kept.has(ref))
  const commands = [
    ...gone.map((ref) => `delete ${ref}\n`),
    ...names(theirs).map((line) => `update ${line.split(' ')[1]} ${line.split(' ')[0]}\n`),
  ]
  await runGit(clone, ['update-ref', '--stdin'], { env, input: commands.join('') })
  const head = `refs/remotes/origin/${project.defaultBranch}`
  if (kept.has(head)) await runGit(clone, ['symbolic-ref', 'refs/remotes/origin/HEAD', head], { env })
}

function copyExcludes({ repository, clone }: Adoption): void {
  const source = join(repository.commonDir, 'info', 'exclude')
  if (!existsSync(source)) return
  mkdirSync(join(clone, '.git', 'info'), { recursive: true })
  writeFileSync(join(clone, '.git', 'info', 'exclude'), readBytes(source))
}

/** `key<newline>value` of `git config -z`. A key without a value means true. */
function splitSetting(entry: string): [key: string, value: string] {
  const at = entry.indexOf('\n')
  return at === -1 ? [entry, 'true'] : [entry.slice(0, at), entry.slice(at + 1)]
}

function absoluteUrl(url: string, projectPath: string): string {
  return /^\.{1,2}(\/|$)/.test(url) ? resolve(projectPath, url) : url
}
