// Which program an agent's name refers to, and what its sessions start with: `~/.agh/agents/<name>/AGENT.md`. Without a
// definition, `general` is the first known agent that is installed, else the demo agent.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { AgentView } from '../../contract/agh/answers.ts'
import { variablePattern } from '../../contract/agh/config.ts'
import { heartbeatSchema } from '../../contract/agh/heartbeat.ts'
import { type McpServerConfig, mcpServerSchema } from '../../contract/agh/mcp-server.ts'
import type { SessionSettings } from '../../contract/agh/session-meta.ts'
import { PERMISSION_MODES, type PermissionMode } from '../../contract/agh/session-terms.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { isSafeName } from '../../contract/ids.ts'
import { splitCommand } from '../../core/text/command-line.ts'
import { findExecutable } from '../../lib/find-executable.ts'
import { ownProgram } from '../../lib/process/own-program.ts'
import type { AghPaths } from '../paths.ts'
import { readDocument } from './front-matter.ts'
import { type ClientTools, clientToolsOf, SUPPORTED_AGENTS, searchAgents } from './supported-agents.ts'

export interface AgentDefinition {
  name: string
  command: string[]
  permissions: PermissionMode | null
  settings: SessionSettings
  mcpServers: McpServerConfig[]
  additionalDirectories: string[]
  /** Additional variables that its sessions get from the command that starts them. */
  env: string[]
  /** What it may do through agh instead of directly. */
  clientTools: ClientTools
  /** Prepended to the first prompt. */
  instructions: string
}

export const DEFAULT_AGENT = 'general'

const commandSchema = z
  .union([z.string(), z.array(z.string())])
  .check(z.refine((command) => argvOf(command).length > 0, 'its command cannot be read as words'))

const agentSchema = z.strictObject({
  name: z.optional(z.string()),
  command: commandSchema,
  permissions: z.optional(z.enum(PERMISSION_MODES)),
  /** One of those the agent offers. */
  mode: z.optional(z.string()),
  model: z.optional(z.string()),
  options: z.optional(z.record(z.string(), z.string())),
  mcp_servers: z._default(z.array(mcpServerSchema), []),
  additional_directories: z._default(z.array(z.string()), []),
  env: z._default(z.array(variablePattern), []),
  /** write: only writes go through agh. */
  client_fs: z.optional(z.union([z.boolean(), z.literal('write')])),
  client_terminal: z.optional(z.boolean()),
})

interface AgentSources {
  paths: AghPaths
  env: NodeJS.ProcessEnv
}

/** `envFor`: the environment in which its program will be looked up. */
export async function findAgent(
  sources: AgentSources,
  name: string,
  envFor: (agent: AgentDefinition) => NodeJS.ProcessEnv = () => sources.env,
): Promise<AgentDefinition> {
  const definition = (await readDefinition(sources.paths, name)) ?? (name === DEFAULT_AGENT ? builtIn(sources) : null)
  if (!definition) throw agentNotFound(sources.paths, name)
  const program = definition.command[0]!
  if (findExecutable(program, { env: envFor(definition) })) return definition
  throw new AoError('TOOL_MISSING', `The agent ${name} needs ${program}, which is not on the PATH`, {
    hint: `Install it, or change the command in ${agentFile(sources.paths, name)}`,
  })
}

/** By name. An agent with an invalid file is included, with its problem. */
export async function listAgents(sources: AgentSources): Promise<AgentView[]> {
  return Promise.all(agentNames(sources.paths).map((name) => describeAgent(sources, name)))
}

export async function describeAgent(sources: AgentSources, name: string): Promise<AgentView> {
  const file = agentFile(sources.paths, name)
  const isWritten = agentIsDefined(sources.paths, name)
  if (!isWritten && name !== DEFAULT_AGENT) throw agentNotFound(sources.paths, name)
  const view: AgentView = {
    name,
    source: sourceOf(sources, isWritten),
    file: isWritten ? file : null,
    command: [],
    permissions: null,
    settings: {},
    mcp_servers: [],
    has_instructions: false,
    has_heartbeat: existsSync(heartbeatFile(sources.paths, name)),
    heartbeat_problem: await heartbeatProblem(sources.paths, name),
    problem: null,
  }
  try {
    const found = (await readDefinition(sources.paths, name)) ?? builtIn(sources)
    const { command, permissions, settings, mcpServers, instructions } = found
    const program = findExecutable(command[0]!, { env: sources.env })
    return {
      ...view,
      command,
      permissions,
      settings,
      mcp_servers: mcpServers.map((server) => server.name),
      has_instructions: instructions !== '',
      problem: program ? null : `${command[0]} is not on the PATH`,
    }
  } catch (error) {
    return { ...view, problem: errorText(error) }
  }
}

async function heartbeatProblem(paths: AghPaths, name: string): Promise<string | null> {
  try {
    await readDocument(heartbeatFile(paths, name), heartbeatSchema)
    return null
  } catch (error) {
    return errorText(error)
  }
}

export function agentIsDefined(paths: AghPaths, name: string): boolean {
  return isSafeName(name) && existsSync(agentFile(paths, name))
}

export function agentFile(paths: AghPaths, name: string): string {
  return join(paths.agents, name, 'AGENT.md')
}

/** Next to it: when its idle sessions are woken, and with which prompt. */
export function heartbeatFile(paths: AghPaths, name: string): string {
  return join(paths.agents, name, 'HEARTBEAT.md')
}

function agentNotFound(paths: AghPaths, name: string): AoError {
  return new AoError('AGENT_NOT_FOUND', `There is no agent ${name}`, {
    hint: `List them with: agh agent list. A new one is described in ${agentFile(paths, isSafeName(name) ? name : '<name>')}`,
    details: { agent: name },
  })
}

function agentNames(paths: AghPaths): string[] {
  try {
    const written = readdirSync(paths.agents).filter((name) => agentIsDefined(paths, name))
    return [...new Set([DEFAULT_AGENT, ...written])].sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [DEFAULT_AGENT]
    throw error
  }
}

async function readDefinition(paths: AghPaths, name: string): Promise<AgentDefinition | null> {
  if (!isSafeName(name)) return null
  const document = await readDocument(agentFile(paths, name), agentSchema)
  if (!document) return null
  const { command, permissions = null, mode, model, options, mcp_servers, additional_directories } = document.settings
  return {
    name,
    command: argvOf(command),
    permissions,
    settings: {
      ...(mode === undefined ? {} : { mode }),
      ...(model === undefined ? {} : { model }),
      ...(options === undefined ? {} : { options }),
    },
    mcpServers: mcp_servers,
    additionalDirectories: additional_directories,
    env: document.settings.env,
    clientTools: wantedTools(argvOf(command), document.settings),
    instructions: document.body,
  }
}

function wantedTools(command: readonly string[], settings: z.infer<typeof agentSchema>): ClientTools {
  const { client_fs: fs, client_terminal: terminal } = settings
  const tools = clientToolsOf(command)
  return {
    ...tools,
    ...(fs === undefined ? {} : { read: fs === true, write: fs !== false }),
    ...(terminal === undefined ? {} : { terminal }),
  }
}

function argvOf(command: string | readonly string[]): string[] {
  return typeof command === 'string' ? (splitCommand(command) ?? []) : [...command]
}

function sourceOf({ env }: AgentSources, isWritten: boolean): AgentView['source'] {
  if (isWritten) return 'file'
  return findInstalled(env) ? 'found' : 'demo'
}

function builtIn({ env }: AgentSources): AgentDefinition {
  const command = [...(findInstalled(env)?.command ?? demoCommand())]
  return {
    name: DEFAULT_AGENT,
    command,
    permissions: null,
    settings: {},
    mcpServers: [],
    additionalDirectories: [],
    env: [],
    clientTools: clientToolsOf(command),
    instructions: '',
  }
}

function findInstalled(env: NodeJS.ProcessEnv) {
  return searchAgents(SUPPORTED_AGENTS, env, false).found[0]
}

function demoCommand(): string[] {
  return [process.execPath, ownProgram(import.meta.url, '../demo-agent.ts', 'agh-demo-agent.js')]
}
