// A loop whose projects are on forges of the tests: real plugins, worktrees and remotes, and agents that only remember. Their
// work is done by the test.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../../src/contract/config.ts'
import type { PullRef } from '../../src/contract/pull.ts'
import type { SessionRecord } from '../../src/contract/record.ts'
import type { SessionSpawnConfig } from '../../src/contract/session.ts'
import type { SpawnOptions } from '../../src/manager/types.ts'
import type { Scm } from '../../src/slots/scm.ts'
import type { Tracker } from '../../src/slots/tracker.ts'
import type { TrackerWorld } from '../contract/tracker-suite.ts'
import { createLoopWorld, type LoopWorld } from '../lifecycle/loop-world.ts'
import { agreeToAll } from '../support/agree.ts'
import { git } from '../support/git-repo.ts'
import { forgejoScmWorld, forgejoTrackerWorld } from './forgejo-world.ts'
import type { HostedWorld } from './git-remote.ts'
import { githubScmWorld, githubTrackerWorld } from './github-world.ts'
import { gitlabScmWorld, gitlabTrackerWorld } from './gitlab-world.ts'

export const FORGES = {
  github: { script: 'github-server.mjs', create: githubScmWorld, tracker: githubTrackerWorld },
  gitlab: { script: 'gitlab-server.mjs', create: gitlabScmWorld, tracker: gitlabTrackerWorld },
  forgejo: { script: 'forgejo-server.mjs', create: forgejoScmWorld, tracker: forgejoTrackerWorld },
}

export interface HostedLoop extends LoopWorld {
  project(id?: string): ProjectConfig
  inRepo(...args: string[]): string
  inTree(session: string, ...args: string[]): string
  start(request?: Partial<SessionSpawnConfig>, options?: SpawnOptions): Promise<string>
  record(session: string): SessionRecord
  /** One more commit of the agent, pushed. Returns it. */
  work(session: string, file: string, text?: string): string
  /** As its agent would, for this branch; approved and green. */
  handIn(session: string, base?: string): Promise<PullRef & { number: number }>
  /** What its agent was told. */
  told(session: string): string[]
  end(): Promise<void>
}

const METHODS = [
  'readPullRequests',
  'getPRState',
  'resolvePR',
  'mergePR',
  'retargetPR',
  'commentPR',
  'readRange',
  'getCheckLog',
] as const satisfies ReadonlyArray<keyof Scm>

/** `worlds`: by project; `my-app` is the first. */
export async function createHostedLoop(
  worlds: Record<string, HostedWorld>,
  { yaml = '', issues }: { yaml?: string; issues?: TrackerWorld } = {},
): Promise<HostedLoop> {
  const ids = Object.keys(worlds)
  const scm: Record<string, unknown> = {}
  for (const name of METHODS)
    scm[name] = (...args: unknown[]) => {
      const { id, path, defaultBranch } = args.pop() as ProjectConfig
      const { scm: there, project } = worlds[id]!
      return (there[name] as (...all: unknown[]) => unknown)(...args, { ...project, path, defaultBranch })
    }
  const world = await createLoopWorld({
    yaml: 'defaults: { runtime: fake, agent: fake, workspace: worktree }',
    projectYaml: yaml,
    others: ids.filter((id) => id !== 'my-app'),
    scm: scm as Partial<Scm>,
    ...(issues && { tracker: trackerOf(issues) }),
  })
  await agreeToAll(world.configPath, { home: world.temp.home, env: world.env })
  world.activity.current = { state: 'ready' }
  const { loop, env, config } = world
  const project = (id = 'my-app') => config.projects[id]!
  for (const id of ids) {
    const { bare } = worlds[id]!.remote
    git(project(id).path, env, 'remote', 'add', 'origin', bare)
    git(project(id).path, env, 'push', '--quiet', '--force', 'origin', 'main')
  }
  const projectOf = (session: string) => session.replace(/-\d+$/, '')
  const record = (session: string) => loop.context.store(projectOf(session)).read(session)!.record
  const inTree = (session: string, ...args: string[]) => git(record(session).worktree!, env, ...args)
  return {
    ...world,
    project,
    record,
    inTree,
    inRepo: (...args) => git(world.repo, env, ...args),
    start: async (request = {}, options = {}) =>
      (await loop.manager.spawn({ projectId: 'my-app', prompt: 'work', ...request }, options)).id,
    work(session, file, text = `${file}\n`) {
      writeFileSync(join(record(session).worktree!, file), text)
      inTree(session, 'add', file)
      inTree(session, 'commit', '--quiet', '--message', file)
      inTree(session, 'push', '--quiet', '--set-upstream', 'origin', 'HEAD')
      return inTree(session, 'rev-parse', 'HEAD')
    },
    async handIn(session, base) {
      const { branch } = record(session)
      const there = worlds[projectOf(session)]!
      const pr = await there.openPR({ branch: branch!, title: session })
      if (base !== undefined) await there.retarget(pr.number, base)
      await there.check(branch!, 'unit', 'passed')
      await loop.context.store(projectOf(session)).update(session, { pr: pr.url })
      return pr
    },
    told: (session) =>
      loop.context
        .store(projectOf(session))
        .readHistory(session)
        .events.flatMap((one) => (one.type === 'message.queued' ? [one.text] : [])),
    async end() {
      await world.cleanup()
      for (const id of ids) await worlds[id]!.cleanup()
    },
  }
}

/** The one of the forge, for the project of the loop. */
function trackerOf({ tracker, project }: TrackerWorld): Partial<Tracker> {
  return {
    getIssue: (id) => tracker.getIssue(id, project),
    listIssues: (filter) => tracker.listIssues!(filter, project),
    blockersOf: (id) => tracker.blockersOf!(id, project),
    recentComments: (since) => tracker.recentComments!(since, project),
  }
}
