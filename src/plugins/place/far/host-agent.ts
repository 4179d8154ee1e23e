// Starts the agent in its place and keeps it: its terminal, its end, and what is left of it after a host that was killed.
// far-host.ts does it for an agent that speaks the protocol.
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { errorText } from '../../../contract/errors.ts'
import { configuredAcpCommand } from '../../../core/session/acp-command.ts'
import { type AgentTerminal, startOnTerminal } from '../../../host/io/pty.ts'
import { recordAgent } from '../../../host/io/record.ts'
import { findExecutable } from '../../../lib/find-executable.ts'
import { identify, type ProcessIdentity } from '../../../lib/process/process-identity.ts'
import { findBySpawnMarker, SPAWN_MARKER, stopProcesses } from '../../../lib/process/process-tree.ts'
import type { UnprovenProcess } from '../../../lib/process/unproven-processes.ts'
import { removeFile } from '../../../lib/remove.ts'
import type { FarLaunch } from '../far-contract.ts'
import { createFarAgent, type FarAgent, type LoadAgent } from './agents.ts'
import { adoptConversation } from './conversation.ts'
import type { FactsLog } from './facts-log.ts'
import type { FarPaths } from './far-paths.ts'

export interface HostedAgent {
  pid: number | null
  /** null: it has none. */
  terminal: AgentTerminal | null
  /** For readers of its pipes, each on a stream of its own; null: it has a terminal. */
  pipes: { accept(stream: Duplex): void } | null
  far: FarAgent | null
  /** It continues its earlier conversation. Over the protocol that is for home to find out. */
  resumed: boolean
  /** What a stop left running, because nothing proves that it came from the agent. */
  unproven: UnprovenProcess[]
  /** Resolves when no process of the agent is left and how it ended is recorded. */
  stop(graceMs: number): Promise<void>
}

const LAST_LINES = 200

export interface Hosting {
  paths: FarPaths
  log: FactsLog
  load: LoadAgent
  spawnId: string
  /** Resolves when it is a fact of the log. */
  recordEnd(end: EndedAs): Promise<void>
}

export interface EndedAs {
  exitCode: number | null
  signal: string | null
  /** The last screen. */
  screen: string
  why?: string | undefined
}

export async function hostAgent(hosting: Hosting, request: FarLaunch): Promise<HostedAgent> {
  const { log, spawnId, paths } = hosting
  const { command, environment, workspacePath, far, resumed } = await planCommand(hosting, request)
  const { cols, rows } = request
  const terminal = await startOnTerminal({ command, env: environment, cwd: workspacePath, cols, rows })
  const identity = identify(terminal.pid)
  log.add({ type: 'launched', pid: terminal.pid })
  const recorder = request.isRecorded ? recordAgent(paths.directory, { spawnId, env: environment }, terminal) : null
  const over = terminal.ended.then(async ({ code, signal }) => {
    // Home fetches the recording when it hears of the end.
    await recorder?.end(signal ?? `exit code ${code}`)
    await hosting.recordEnd({ exitCode: code, signal, screen: terminal.screen.text(LAST_LINES) })
  })
  const stopping = stopAgent(hosting, { identity, workspacePath, over })
  return { pid: terminal.pid, terminal, pipes: null, far, resumed, ...stopping }
}

interface Stoppable {
  identity: ProcessIdentity | null
  workspacePath: string
  /** Resolves when it has ended and that is a fact of the log. */
  over: Promise<unknown>
}

export function stopAgent(
  { spawnId }: Hosting,
  { identity, workspacePath, over }: Stoppable,
): Pick<HostedAgent, 'unproven' | 'stop'> {
  const unproven: UnprovenProcess[] = []
  return {
    unproven,
    async stop(graceMs) {
      const agents = identity === null ? [] : [identity]
      unproven.push(...(await stopProcesses(spawnId, agents, { graceMs, workspacePath })).unproven)
      await over
    },
  }
}

export interface PlannedCommand {
  command: string[]
  environment: Record<string, string>
  workspacePath: string
  far: FarAgent | null
  resumed: boolean
}

/** The agent's plugin decides, with the paths of this place. */
export async function planCommand({ paths, load, spawnId }: Hosting, request: FarLaunch): Promise<PlannedCommand> {
  const environment = environmentThere(paths, request, spawnId)
  const prepared = request.agent && (await prepare(load, paths, request, environment))
  const far = prepared?.far ?? null
  if (far)
    Object.assign(environment, far.agent.getEnvironment(far.launch), request.environment, own(paths, environment))
  const resume = prepared?.resume ?? null
  const command = resume ?? (far ? commandOf(far, request.overProtocol) : (request.raw?.command ?? []))
  const workspacePath = request.raw?.workspacePath ?? paths.workspace
  refuseImpossible(command, environment, workspacePath)
  return { command, environment, workspacePath, far, resumed: resume !== null }
}

function commandOf({ agent, launch }: FarAgent, overProtocol: boolean): string[] {
  if (!overProtocol) return agent.getLaunchCommand(launch)
  const command = configuredAcpCommand(launch.config) ?? agent.getAcpCommand?.(launch)
  if (command) return command
  throw new Error(`the agent ${agent.name} has no command that speaks ACP`)
}

async function prepare(
  load: LoadAgent,
  paths: FarPaths,
  request: FarLaunch,
  env: Record<string, string>,
): Promise<{ far: FarAgent; resume: string[] | null }> {
  const about = request.agent!
  mkdirSync(paths.state, { recursive: true, mode: 0o700 })
  const far = await createFarAgent(load, paths, about, env)
  if (far.launch.systemPromptFile) writeFileSync(far.launch.systemPromptFile, about.instructions ?? '', { mode: 0o600 })
  if (about.prompt !== null) writeFileSync(`${paths.state}/prompt.md`, about.prompt, { mode: 0o600 })
  const adopted = about.isResume && (await adopt(far, paths))
  // Over the protocol home asks the agent to continue; start-up dialogs and hooks belong to the agent in a terminal.
  if (request.overProtocol) return { far, resume: null }
  far.launch.facts = await far.agent.readFacts?.(far.launch)
  const resume = adopted ? ((await far.agent.getRestoreCommand?.(far.session, far.launch)) ?? null) : null
  await far.agent.prepare?.({ ...far.launch, isResume: resume !== null })
  return { far, resume }
}

/** false: it starts afresh, which is what it would do without a conversation. */
async function adopt(far: FarAgent, paths: FarPaths): Promise<boolean> {
  try {
    await adoptConversation(far, paths.conversation)
    return true
  } catch (error) {
    console.error(`The conversation cannot be continued: ${errorText(error)}`)
    return false
  } finally {
    removeFile(paths.conversation)
  }
}

/** What a login there has, without the host's own settings. */
const OF_THE_PLACE =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|XDG_\w+|LD_LIBRARY_PATH|\w+_proxy|\w+_PROXY)$/

function environmentThere(paths: FarPaths, request: FarLaunch, spawnId: string): Record<string, string> {
  if (request.raw) return { ...request.environment }
  const basic = Object.entries(process.env).flatMap(([name, value]) =>
    OF_THE_PLACE.test(name) && value !== undefined ? [[name, value] as const] : [],
  )
  const there: Record<string, string> = { HOME: '/tmp', ...Object.fromEntries(basic), ...request.environment }
  return { ...there, ...own(paths, there), [SPAWN_MARKER]: spawnId }
}

function own(paths: FarPaths, env: Record<string, string>): Record<string, string> {
  const path = (env.PATH ?? '/usr/local/bin:/usr/bin:/bin').split(':').filter((entry) => entry !== paths.bin)
  return { PATH: [paths.bin, ...path].join(':'), AO_STATE_DIR: paths.state }
}

/** What fork and exec would only report through an exit code. */
function refuseImpossible(command: string[], env: Record<string, string>, workspacePath: string): void {
  if (!statSync(workspacePath, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`the workspace ${workspacePath} is not a directory there`)
  }
  if (findExecutable(command[0] ?? '', { env, cwd: workspacePath }) === null) {
    throw new Error(`the command ${command[0] ?? '(none)'} was not found there`)
  }
}

/** After a host was killed: is anything of its agent left? */
export function hasOrphans(spawnId: string): boolean {
  return findBySpawnMarker(spawnId).length > 0
}
