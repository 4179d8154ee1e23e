// A manager on plugins that only remember what they were asked: for the order of steps and for failures at each of them.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../src/config/load-config.ts'
import type { OrchestratorConfig } from '../../src/contract/config.ts'
import type { PullRef, PullState } from '../../src/contract/pull.ts'
import type { RuntimeHandle } from '../../src/contract/session.ts'
import { createSessionManager, type SessionManager } from '../../src/manager/session-manager.ts'
import { createPluginRegistry } from '../../src/plugins/registry.ts'
import type { ActivityReading, Agent, AgentLaunch } from '../../src/slots/agent.ts'
import type { PluginRegistry } from '../../src/slots/registry.ts'
import type { Runtime, RuntimeLaunch } from '../../src/slots/runtime.ts'
import type { Scm } from '../../src/slots/scm.ts'
import { type Issue, IssueNotFoundError, type Tracker } from '../../src/slots/tracker.ts'
import type { Workspace } from '../../src/slots/workspace.ts'
import { createPaths, type ProjectPaths } from '../../src/store/paths.ts'
import { createRepo } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

export interface FakeWorld {
  temp: TempHome
  repo: string
  configPath: string
  config: OrchestratorConfig
  registry: PluginRegistry
  env: NodeJS.ProcessEnv
  manager: SessionManager
  paths: ProjectPaths
  /** What the plugins were asked, in order. */
  calls: string[]
  launches: RuntimeLaunch[]
  agentLaunches: AgentLaunch[]
  /** A step named here throws this error. */
  failing: Map<string, Error>
  alive: Map<string, boolean | Error | 'hangs'>
  sent: Array<{ id: string; text: string }>
  issues: Map<string, Partial<Issue>>
  trackerError: { current: Error | null }
  prState: { current: PullState | Error }
  completed: Set<string>
  activity: { current: ActivityReading | null }
  resume: { current: string[] | null }
  screen: { current: string }
  /** A second manager on the same files, as another process would have. */
  another(): SessionManager
  cleanup(): Promise<void>
}

export interface FakeOptions {
  projectYaml?: string
  agent?: Partial<Agent>
  runtime?: Partial<Runtime>
  workspace?: Partial<Workspace>
  scm?: Partial<Scm>
  tracker?: Partial<Tracker>
  /** Lines at the top of the file. */
  yaml?: string
  /** Ids of further projects, which are configured in the same way. */
  others?: string[]
}

export async function createFakeWorld(options: FakeOptions = {}): Promise<FakeWorld> {
  const temp = createTempHome()
  const repo = createRepo(join(temp.home, 'code', 'my-app'), temp.env)
  const { others = [] } = options
  for (const id of others) createRepo(join(temp.home, 'code', id), temp.env)
  const configPath = join(temp.home, 'code', 'agent-orchestrator.yaml')
  writeFileSync(
    configPath,
    [
      options.yaml ?? 'defaults: { runtime: fake, agent: fake, workspace: fake }',
      'projects:',
      ...['my-app', ...others].flatMap((id) => [
        `  ${id}:`,
        `    path: ${id}`,
        `    sessionPrefix: ${id}`,
        '    agentRules: Always write tests.',
        ...(options.projectYaml ?? '').split('\n').map((line) => `    ${line}`),
      ]),
    ].join('\n'),
  )
  const env = { ...temp.env, PATH: `${process.env.PATH}` }
  const config = loadConfig({ path: configPath, env, home: temp.home })
  const state = createState()
  const { calls, failing } = state
  const step = (name: string): void => {
    calls.push(name)
    const error = failing.get(name)
    if (error) throw error
  }

  const runtime: Runtime = {
    name: 'fake',
    async create(launch) {
      step('runtime.create')
      state.launches.push(launch)
      state.alive.set(launch.name, true)
      return { id: launch.name, runtimeName: 'fake', data: { spawnId: launch.spawnId } }
    },
    async destroy(handle) {
      step('runtime.destroy')
      state.alive.set(handle.id, false)
    },
    async sendMessage(handle, text) {
      step('runtime.sendMessage')
      state.sent.push({ id: handle.id, text })
    },
    getOutput: async () => state.screen.current,
    async isAlive(handle: RuntimeHandle) {
      const answer = state.alive.get(handle.id) ?? false
      if (answer === 'hangs') return new Promise<never>(() => undefined)
      if (answer instanceof Error) throw answer
      return answer
    },
    ...options.runtime,
  }

  const agent: Agent = {
    name: 'fake',
    promptDelivery: 'inline',
    activitySource: 'native',
    readsAoDirectory: true,
    getLaunchCommand: (launch) => ['sh', '-c', 'true', ...(launch.prompt === undefined ? [] : [launch.prompt])],
    getEnvironment: () => ({ FAKE_AGENT: '1' }),
    async prepare(launch) {
      step('agent.prepare')
      state.agentLaunches.push(launch)
    },
    getRestoreCommand: async () => state.resume.current,
    getActivityState: async () => state.activity.current,
    detectActivity: () => null,
    getSessionInfo: async () => ({ summary: 'did things', agentSessionId: 'a-1' }),
    ...options.agent,
  }

  const workspace: Workspace = {
    name: 'fake',
    pathFor: ({ projectId, sessionId }) => join(temp.home, 'ws', projectId, sessionId),
    async create(spec) {
      step('workspace.create')
      const path = join(temp.home, 'ws', spec.projectId, spec.sessionId)
      mkdirSync(path, { recursive: true })
      return { path, branch: spec.branch, sessionId: spec.sessionId, projectId: spec.projectId, branchCreated: true }
    },
    exists: async (path) => existsSync(path),
    async snapshot() {
      step('workspace.snapshot')
      return null
    },
    async destroy(path) {
      step(`workspace.destroy`)
      rmSync(path, { recursive: true, force: true })
    },
    async restore(spec, path) {
      step('workspace.restore')
      mkdirSync(path, { recursive: true })
      return { path, branch: spec.branch, sessionId: spec.sessionId, projectId: spec.projectId, branchCreated: false }
    },
    list: async () => [],
    ...options.workspace,
  }

  const tracker: Tracker = {
    name: 'fake',
    async getIssue(id) {
      step('tracker.getIssue')
      if (state.trackerError.current) throw state.trackerError.current
      const issue = state.issues.get(id)
      if (!issue) throw new IssueNotFoundError(id)
      return {
        id,
        title: `Issue ${id}`,
        description: '',
        url: `https://example.invalid/${id}`,
        state: 'open',
        labels: [],
        ...issue,
      }
    },
    async isCompleted(id) {
      if (state.trackerError.current) throw state.trackerError.current
      return state.completed.has(id)
    },
    issueUrl: (id) => `https://example.invalid/${id}`,
    branchName: (id) => `tracker/${id.replace(/[^A-Za-z0-9-]/g, '')}`,
    generatePrompt: (issue) => `${issue.title}\n\n${issue.description}`,
    ...options.tracker,
  }

  const scm: Scm = {
    name: 'fake',
    async getPRState() {
      if (state.prState.current instanceof Error) throw state.prState.current
      return state.prState.current
    },
    async resolvePR(reference) {
      const number = Number(reference.replace(/\D/g, ''))
      return { url: `https://example.invalid/pull/${number}`, number, branch: `pr-${number}` } satisfies PullRef
    },
    async checkoutPR() {
      step('scm.checkoutPR')
      return true
    },
    ...options.scm,
  }

  const registry = createPluginRegistry({ env, home: temp.home })
  const about = { name: 'fake', description: 'a fake', version: '0' }
  registry.register({ manifest: { slot: 'runtime', ...about }, create: () => runtime })
  registry.register({ manifest: { slot: 'agent', ...about }, create: () => agent })
  registry.register({ manifest: { slot: 'workspace', ...about }, create: () => workspace })
  registry.register({ manifest: { slot: 'tracker', ...about }, create: () => tracker })
  registry.register({ manifest: { slot: 'scm', ...about }, create: () => scm })
  const make = () => createSessionManager({ config, registry, env, home: temp.home, aoCommand: ['ao'] })

  return {
    temp,
    repo,
    configPath,
    config,
    registry,
    env,
    manager: make(),
    paths: createPaths({ configPath, home: temp.home, env }).project('my-app'),
    ...state,
    another: make,
    cleanup: async () => {
      await temp.cleanup()
    },
  }
}

function createState() {
  return {
    calls: [] as string[],
    launches: [] as RuntimeLaunch[],
    agentLaunches: [] as AgentLaunch[],
    failing: new Map<string, Error>(),
    alive: new Map<string, boolean | Error | 'hangs'>(),
    sent: [] as Array<{ id: string; text: string }>,
    issues: new Map<string, Partial<Issue>>(),
    trackerError: { current: null as Error | null },
    prState: { current: 'open' as PullState | Error },
    completed: new Set<string>(),
    activity: { current: null as ActivityReading | null },
    resume: { current: null as string[] | null },
    screen: { current: 'ready' },
  }
}
