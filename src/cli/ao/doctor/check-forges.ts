// The forges and trackers of the projects, queried instead of guessed: one request each, all at once, bounded in time.
import { type PluginChoice, type ProjectConfig, pluginName } from '../../../contract/config.ts'
import { commonGitDir } from '../../../git/git-dir.ts'
import { openRepository } from '../../../git/repository.ts'
import { readProjectRemote } from '../../../git/transfer/project-remote.ts'
import { canHostTrain } from '../../../landing/hosted/hosted-train.ts'
import { hasOwnTrain } from '../../../landing/own-train.ts'
import { sleep } from '../../../lib/clock.ts'
import { findExecutable } from '../../../lib/find-executable.ts'
import type { AccessReport } from '../../../slots/scm.ts'
import { type Finding, guarded } from '../../print/findings.ts'
import type { Io } from '../../print/io.ts'
import type { Ao } from '../open-ao.ts'

const TIME_LIMIT_MS = 10_000

export async function checkForges(ao: Ao, io: Io): Promise<Finding[]> {
  const projects = Object.values(ao.config.projects)
  return (await Promise.all(projects.map((project) => checkProject(ao, project, io)))).flat()
}

async function checkProject(ao: Ao, project: ProjectConfig, io: Io): Promise<Finding[]> {
  const scm = project.scm ?? ao.config.plugins.scm?.name
  const tracker = project.tracker ?? ao.config.plugins.tracker?.name
  const same = scm !== undefined && JSON.stringify(scm) === JSON.stringify(tracker)
  const checks = [
    scm === undefined
      ? guarded(`forge of ${project.id}`, () => describeMissing(project, io))
      : guarded(`forge of ${project.id}`, () => askOne(ao, 'scm', scm, project)),
    scm === undefined ? Promise.resolve([]) : guarded('tools of agents', () => checkNeeded(ao, scm, project, io)),
    scm === undefined || project.landing?.mode !== 'train'
      ? Promise.resolve([])
      : guarded(`train of ${project.id}`, () => checkTrain(ao, scm, project, io)),
    // Both would send the same request.
    ...(tracker === undefined || same
      ? []
      : [guarded(`tracker of ${project.id}`, () => askOne(ao, 'tracker', tracker, project))]),
  ]
  return (await Promise.all(checks)).flat()
}

async function askOne(
  ao: Ao,
  slot: 'scm' | 'tracker',
  choice: PluginChoice,
  project: ProjectConfig,
): Promise<Finding[]> {
  const name = `${slot === 'scm' ? 'forge' : 'tracker'} of ${project.id}`
  const plugin = await ao.registry.load(slot, choice)
  if (plugin.checkAccess === undefined) {
    const detected = (await ao.registry.detect(slot)).find((one) => one.name === pluginName(choice))
    return [describe(name, detected ?? { ok: true, detail: pluginName(choice) })]
  }
  return [describe(name, await within(plugin.checkAccess(project)))]
}

/** Agents are instructed to use it, and would fail in every session. */
async function checkNeeded(ao: Ao, scm: PluginChoice, project: ProjectConfig, io: Io): Promise<Finding[]> {
  const needed = (await ao.registry.load('scm', scm)).handIn?.needs
  if (needed === undefined || findExecutable(needed, { env: io.env }) !== null) return []
  const detail = `${needed} is not installed, and agents open pull requests of ${project.id} with it`
  return [{ level: 'fail', name: needed, detail, fix: `Install ${needed}` }]
}

/** What the token and git may not do on a forge elsewhere, before the first car finds out. */
async function checkTrain(ao: Ao, choice: PluginChoice, project: ProjectConfig, io: Io): Promise<Finding[]> {
  const name = `train of ${project.id}`
  const scm = await ao.registry.load('scm', choice)
  if (hasOwnTrain(scm)) return []
  const remote = await readProjectRemote(project.path, io.env)
  if (!canHostTrain(scm) || remote === null) {
    const detail = remote === null ? 'the repository has no remote' : `the forge ${scm.name} cannot have a train`
    return [{ level: 'fail', name, detail }]
  }
  const { examineHosted } = await import('../../../landing/hosted/ride-hosted.ts')
  const method = project.landing?.method ?? scm.mergeMethods?.[0] ?? 'squash'
  const report = examineHosted({
    project,
    scm,
    method,
    remote: { repository: openRepository(project.path, io.env), name: remote.name },
  }).then(({ hasQueue, isProtected, obstacles }): AccessReport => {
    if (obstacles.length > 0)
      return { ok: false, detail: obstacles.join('; '), fix: 'Nothing boards until this is allowed' }
    const branch = project.defaultBranch
    if (hasQueue) return { ok: true, detail: `${branch} has a queue of the forge's own; ao boards that one` }
    const how =
      method === 'merge' && !isProtected ? 'tested commits are pushed' : 'the forge merges, and the tree is verified'
    return { ok: true, detail: `cars go to ao/train/*; to ${branch} ${how}` }
  })
  return [describe(name, await within(report))]
}

function describe(name: string, { ok, detail, fix }: AccessReport): Finding {
  return { level: ok ? 'pass' : 'fail', name, detail, fix: ok ? undefined : fix }
}

async function within(report: Promise<AccessReport>): Promise<AccessReport> {
  const stop = new AbortController()
  const late = sleep(TIME_LIMIT_MS, { signal: stop.signal })
  try {
    return await Promise.race([report, late.then(() => ({ ok: false, detail: 'it did not answer in time' }))])
  } finally {
    stop.abort()
  }
}

/** Sessions work without a forge, but nothing tracks their branches. */
async function describeMissing(project: ProjectConfig, io: Io): Promise<Finding[]> {
  // A missing repository is reported elsewhere.
  if (commonGitDir(project.path) === null) return []
  const remote = await readProjectRemote(project.path, io.env)
  const key = `projects.${project.id}`
  const detail = `none is chosen, so that pull requests are not followed: ${describeRemote(remote)}`
  const detected = remote?.forge?.forge
  const fix = detected
    ? `Set ${key}.scm and ${key}.tracker to ${detected.plugin}`
    : `Set ${key}.scm and ${key}.tracker to github, gitlab or forgejo when it is one, or to local to keep pull requests on this machine`
  return [{ level: 'warn', name: `forge of ${project.id}`, detail, fix }]
}

function describeRemote(remote: Awaited<ReturnType<typeof readProjectRemote>>): string {
  if (remote === null) return 'there is no remote'
  const { name, forge } = remote
  if (forge === null) return `the remote ${name} is a path on this machine`
  if (forge.forge !== null) return `the remote ${name} is on ${forge.forge.title} (${forge.host})`
  if (forge.otherProduct !== null) return `the remote ${name} is on ${forge.otherProduct}, which ao has no plugin for`
  return `nothing says which forge runs on ${forge.host} (the remote ${name})`
}
