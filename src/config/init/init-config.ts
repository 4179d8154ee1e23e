// `ao init`: inspects the repository and the installed programs, and writes a first configuration that works as it is.
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { ALL_AGENT_FILES, filesOfAgent, ONLY_WHEN_TRACKED } from '../../contract/agents/agent-files.ts'
import { AoError } from '../../contract/errors.ts'
import { FORGES } from '../../contract/forges.ts'
import { createFileExclusive } from '../../lib/atomic-write.ts'
import { findExecutable } from '../../lib/find-executable.ts'
import type { DetectedPlugin } from '../../slots/registry.ts'
import { replaceConfig, type SaveContext } from '../edit/save-edit.ts'
import { CONFIG_FILE_NAMES } from '../find-config.ts'
import { loadConfig } from '../load-config.ts'
import { trust } from '../trust/trust.ts'
import { type TrustItem, trustItems } from '../trust/trust-items.ts'
import { type DetectedProject, detectProject, SUBMODULE_COMMAND } from './detect-project.ts'
import { writeFirstConfig } from './write-first-config.ts'

export interface InitRequest {
  cwd: string
  env: NodeJS.ProcessEnv
  home: string
  now: Date
  /** What `registry.detect('agent')` found; the first usable one is chosen. */
  agents: readonly DetectedPlugin[]
  /** The user's own choice. */
  agent?: string | undefined
  /** Where issues and pull requests live, if the user specifies it. */
  forge?: string | undefined
  /** Replace an existing configuration. */
  force?: boolean | undefined
  /** Where the text of a replaced file is kept, so that `ao config undo` finds it. */
  editFiles: (configPath: string) => Pick<SaveContext, 'lock' | 'kept'>
}

export interface InitChoice {
  what: string
  value: string
  why: string
}

export interface InitResult {
  path: string
  projectId: string
  replaced: boolean
  choices: InitChoice[]
  /** What the user should know before the first session. */
  notes: string[]
}

export async function initConfig(request: InitRequest): Promise<InitResult> {
  const project = await detectProject(request)
  const existing = CONFIG_FILE_NAMES.map((name) => join(project.root, name)).find(isThere)
  if (existing !== undefined && !request.force) throw alreadyThere(existing)

  const agent = chooseAgent(request)
  const path = existing ?? join(project.root, CONFIG_FILE_NAMES[0])
  const forge = chooseForge(project, request.forge)
  const text = writeFirstConfig({ project, agent: agent.value, agentWhy: agent.why, forge: forge?.value ?? null })
  if (existing !== undefined) await replaceConfig({ configPath: path, ...request.editFiles(path) }, text)
  else if (!createFileExclusive(path, text, { mode: 0o644 })) throw alreadyThere(path)

  const config = loadConfig({ path, env: request.env, home: request.home })
  await trust(ownItems(project, trustItems(config, request)), request)
  return {
    path,
    projectId: project.id,
    replaced: existing !== undefined,
    choices: describeChoices(project, { agent, forge }, config.projects[project.id]!.sessionPrefix, {
      what: 'runtime',
      value: config.defaults.runtime,
      why: whyRuntime(config.defaults.runtime, request.env),
    }),
    notes: [
      ...(existing === undefined ? [] : describeReplaced(project)),
      ...describeNotes(project, agent.value),
      ...(forge === null ? [noForge(project)] : []),
      ...describeAgentFiles(project.root, agent.value),
    ],
  }
}

/** The user's own command wrote it, so it needs no consent, except for commands that it copied from the repository. */
function ownItems({ foreign }: DetectedProject, items: readonly TrustItem[]): readonly TrustItem[] {
  return foreign === null ? items : items.filter(({ kind }) => kind !== 'postCreate')
}

/** Needs a command that only the user knows. */
const NEVER_BY_ITSELF = 'generic'
const WITHOUT_A_MODEL = 'demo'

function chooseAgent({ agent, agents }: InitRequest): InitChoice {
  if (agent !== undefined) return { what: 'agent', value: agent, why: 'as you said' }
  const found = agents.find(({ name, ok }) => ok && name !== NEVER_BY_ITSELF && name !== WITHOUT_A_MODEL)
  if (found) return { what: 'agent', value: found.name, why: found.detail }
  return { what: 'agent', value: WITHOUT_A_MODEL, why: 'no other agent was found on this machine' }
}

/** null: nothing says which forge it is, and a wrong guess would query a stranger's server. */
function chooseForge({ remote, pathRemote }: DetectedProject, forge: string | undefined): InitChoice | null {
  const what = 'forge'
  const supported = [...FORGES.map(({ plugin }) => plugin), LOCAL_FORGE]
  if (forge !== undefined && !supported.includes(forge)) {
    throw new AoError('USAGE', `There is no forge ${JSON.stringify(forge)}`, {
      hint: `There are: ${supported.join(', ')}`,
    })
  }
  if (forge !== undefined) return { what, value: forge, why: 'as you said' }
  if (remote?.forge) return { what, value: remote.forge.plugin, why: `${remote.forge.title} on ${remote.host}` }
  if (remote !== null || pathRemote !== null) return null
  return { what, value: LOCAL_FORGE, why: 'there is no remote: issues and pull requests live on this machine' }
}

const LOCAL_FORGE = 'local'

function noForge({ remote, pathRemote }: DetectedProject): string {
  const where = remote === null ? `The remote ${pathRemote} is a path on this machine` : describeUnknown(remote)
  return `${where}. No pull request will be followed until tracker and scm say where they live. To keep them on this machine: ao init --force --forge local`
}

function describeUnknown({ name, host, otherProduct }: NonNullable<DetectedProject['remote']>): string {
  if (otherProduct !== null) return `The remote ${name} is on ${otherProduct}, which ao has no plugin for`
  return `Nothing says which forge runs on ${host} (the remote ${name})`
}

interface Chosen {
  agent: InitChoice
  forge: InitChoice | null
}

function describeChoices(
  project: DetectedProject,
  { agent, forge }: Chosen,
  prefix: string,
  runtime: InitChoice,
): InitChoice[] {
  const { remote } = project
  return [
    { what: 'project', value: project.id, why: `the name of ${project.root}` },
    { what: 'sessions', value: `${prefix}-1, ${prefix}-2, …`, why: 'a prefix made from the name' },
    ...(remote ? [{ what: 'repo', value: remote.repo, why: `the remote ${remote.name} on ${remote.host}` }] : []),
    ...(forge ? [forge] : []),
    { what: 'branch', value: project.defaultBranch, why: project.defaultBranchWhy },
    ...(project.hasSubmodules
      ? [{ what: 'submodules', value: 'in every worktree', why: `postCreate runs ${SUBMODULE_COMMAND}` }]
      : []),
    ...(project.foreign
      ? [
          {
            what: 'worktrees',
            value: `as in ${project.foreign.file}`,
            why: 'they run once you have agreed: ao config trust',
          },
        ]
      : []),
    agent,
    runtime,
  ]
}

function whyRuntime(runtime: string, env: NodeJS.ProcessEnv): string {
  if (env.AO_RUNTIME === runtime) return 'AO_RUNTIME says so'
  const hasTmux = findExecutable('tmux', { env }) !== null
  if (runtime !== (hasTmux ? 'tmux' : 'process')) return 'your own configuration says so'
  return hasTmux ? 'tmux is installed' : 'tmux is not installed'
}

function describeReplaced({ root, checkout }: DetectedProject): string[] {
  const elsewhere =
    root === checkout ? '' : `It is the file of the main checkout, because ${checkout} is a worktree of it. `
  return [`${elsewhere}The text before is kept; bring it back with: ao config undo`]
}

function describeNotes(project: DetectedProject, agent: string): string[] {
  const notes: string[] = []
  if (!project.hasCommits) notes.push('Nothing is committed yet: make a first commit before you start a session')
  if (agent === WITHOUT_A_MODEL) {
    notes.push('The demo agent only shows how ao works: install a real agent and put its name into the file')
  }
  return notes
}

function describeAgentFiles(root: string, agent: string): string[] {
  const entries: readonly string[] = agent === WITHOUT_A_MODEL ? [] : (filesOfAgent(agent) ?? ALL_AGENT_FILES)
  const found = entries.filter((entry) => !ONLY_WHEN_TRACKED.includes(entry) && isThere(join(root, entry)))
  if (found.length === 0) return []
  return [`${found.join(', ')} of this repository tell agents what to run: read them and agree with: ao config trust`]
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function alreadyThere(path: string): AoError {
  return new AoError('USAGE', `${path} already exists`, {
    hint: 'Edit it, or replace it with: ao init --force',
    details: { path },
  })
}
