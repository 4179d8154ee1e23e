// Where an agent's process lives and how to reach it.
import type { Attachment } from '../contract/agh/attachment.ts'
import type { PermissionMode, ProjectConfig } from '../contract/config.ts'
import { AoError } from '../contract/errors.ts'
import { shownName } from '../contract/ids.ts'
import type { LeftProcess, RuntimeHandle, UnknownAgent } from '../contract/session.ts'
import type { TerminalSize } from '../contract/terminal-frames.ts'
import type { ProcessIdentity } from '../lib/process/process-identity.ts'
import type { Agent, AgentLaunch } from './agent.ts'
import type { FarCheckout, FarCheckoutRequest, GonePlace } from './far-checkout.ts'
import type { SessionEvents } from './session-events.ts'

export interface RuntimeLaunch {
  sessionId: string
  /** Globally unique name, `{hash}-{sessionId}`; the tmux session's name. */
  name: string
  workspacePath: string
  /** argv, never a shell string. */
  command: string[]
  /** The complete environment of the agent. It may contain secrets: it must not appear in any argv. */
  environment: Record<string, string>
  /** Also in the environment as AO_SPAWN_ID: escaped children are found by it. */
  spawnId: string
  /** Directory (0700) for files that the runtime needs, outside the workspace. */
  stateDir: string
  cols?: number | undefined
  rows?: number | undefined
  /** Which agent it is, for people. */
  agentName?: string | undefined
  /** How the agent's questions are answered, where the runtime answers them. */
  permissions?: PermissionMode | undefined
  /** The agent's own terms for that, in order of preference. */
  modes?: readonly string[] | undefined
  /** Instead of those: an agent that does not offer it is not started. */
  mode?: string | undefined
  model?: string | undefined
  /** Additional directories that the agent's own sandbox has to open. */
  additionalDirectories?: string[] | undefined
  /** Instructions in addition to the task, for a runtime that sends the task itself. */
  instructions?: string | undefined
  /** argv of ao's MCP server, for a runtime that passes such servers to its agents. */
  mcpCommand?: string[] | undefined
  /** For a runtime whose agents run elsewhere: what it needs to make the workspace and the command there. */
  away?: AwayLaunch | undefined
  /** For a runtime with a protocol: the agent runs elsewhere already, its host is recorded here, and it has this path for its workspace. */
  hostDirectory?: string | undefined
  farWorkspace?: string | undefined
  /** Continue this ended session of the runtime (`canResume` returned true) instead of starting a new one. */
  resumes?: RuntimeHandle | undefined
  /**
   * Begin with a copy of this session's conversation (`canFork` returned true). If its agent refuses, with a new one: then `resumed` of
   * the handle's data is false, and `whyNot` says why.
   */
  forks?: RuntimeHandle | undefined
}

/** `RuntimeLaunch.workspacePath` is the mirror at home then, and `command` is not used: the agent's plugin decides there. */
export interface AwayLaunch {
  sessionId: string
  project: ProjectConfig
  agent: AgentLaunch
  /** Options of the agent's plugin. */
  agentOptions: Record<string, unknown>
  readyThresholdMs: number
  /** Directory of the wrappers at home. */
  bin: string
  onNotice(line: string): void
}

/** Three values: a probe that does not know says so and never says dead. */
export type Liveness = (
  | { state: 'alive'; pid?: number | undefined }
  | { state: 'dead'; exitCode?: number | null | undefined; signal?: string | null | undefined; why: string }
  /** `agent`: what it was last seen doing no longer holds. */
  | { state: 'unknown'; why: string; agent?: UnknownAgent | undefined }
) & {
  /** Of an agent elsewhere: which part of its work is too large to come home. */
  workLeft?: string | undefined
}

/** What `isAlive` answers. Throws what a probe left unknown. */
export function isKnownAlive({ id }: RuntimeHandle, liveness: Liveness): boolean {
  if (liveness.state !== 'unknown') return liveness.state === 'alive'
  throw new AoError('RUNTIME_FAILED', `Could not tell whether ${shownName(id)} is running: ${liveness.why}`)
}

export interface AttachInfo {
  type: 'tmux' | 'process' | 'acp' | 'web' | 'docker' | 'ssh'
  target: string
  /** Run this with the user's terminal to be inside the session. */
  command: string[]
  /** The same, but typed input does not reach the agent. Absent: the runtime cannot do that. */
  readOnlyCommand?: string[]
  environment?: Record<string, string>
}

/** Reports ends as they happen. A call is a reason to check; `probe` says what is true. */
export interface RuntimeWatch {
  /** Replaces what is watched. Cheap when it is unchanged. */
  follow(handles: RuntimeHandle[]): void
  close(): void
}

/** A viewer of an agent's terminal. */
export interface TerminalViewer {
  /** The terminal takes this size while the viewer is there. Absent: it stays as it is, for a read-only viewer. */
  size?: TerminalSize
  /**
   * For a terminal that understands xterm's sequences: first a picture of the screen, then what follows. After a pause, or
   * when too much arrived at once, a picture again.
   */
  onData(bytes: Uint8Array): void
  /** Instead of `onData` for pictures, where the viewer treats them otherwise: then they have no lines above the screen. */
  onPicture?(bytes: Uint8Array): void
  /** The agent's terminal has a new size; a picture follows. */
  onSize(size: TerminalSize): void
  /** Called once, and nothing after it. */
  onEnd(why: string): void
}

export interface LiveTerminal {
  /** Of the agent's terminal when it was opened. */
  readonly size: TerminalSize
  /** Raw keys. */
  write(bytes: Uint8Array): void
  /** A request: a person attached with a terminal of their own takes precedence. */
  resize(size: TerminalSize): void
  /** The viewer is behind: nothing is kept for it, and the agent does not wait. */
  pause(): void
  resume(): void
  /** The agent continues, with the size that its terminal had before. */
  close(): Promise<void>
}

export interface SendOptions {
  /** The same id again is the same message, for a runtime that keeps them. */
  messageId?: string
  /** What goes along with it, for a runtime that talks to its agents in events. */
  files?: ReadonlyArray<Attachment & { bytes: Uint8Array }>
  /** Receives what the sender should know about how they arrive. */
  onNote?(note: string): void
  /** End the running turn first, for a runtime that has turns. */
  interrupt?: boolean
  /**
   * For a runtime that types: called with the screen as it is immediately before the text is typed, and again before Enter.
   * When it throws, nothing more is typed, and `sendMessage` fails with that error.
   */
  check?: ScreenCheck
  /** Earlier text may be in the input line: it is cleared before this message is typed. */
  clearFirst?: boolean
}

/** Throws when nothing may be typed. `text`: nothing was typed yet. `enter`: the text is there, Enter is not pressed. */
export type ScreenCheck = (screen: string, before: 'text' | 'enter') => Promise<void>

export interface DestroyOptions {
  /** Skips the cooperative signal. */
  force?: boolean
  /**
   * Of a session elsewhere (`Elsewhere.canPause`). `now`: its place is paused instead of given back, with its disk, for the next
   * start. `keep`: only if it is paused already. Absent: it is given back.
   */
  pause?: 'now' | 'keep' | undefined
  /** Receives processes that may have come from the session but were left running, because nothing proves it. */
  onLeftRunning?: ((processes: LeftProcess[]) => void) | undefined
}

export interface Elsewhere {
  /** The place's name. */
  readonly place: string
  /** Files of the repository that decide how the place is made: they need the user's consent. */
  readonly repositoryFiles?: readonly string[] | undefined
  /** The same agent, whose files are read where it runs. */
  readAgent(handle: RuntimeHandle, agent: Agent): Agent
  /** In a few words for people: where it is, how the line is, what home has of its work. */
  describe(handle: RuntimeHandle): string[]
  /** Its sessions can be paused: `DestroyOptions.pause`. */
  readonly canPause?: boolean | undefined
  /** One line about the engine. Throws an AoError that says what is wrong. */
  check(): Promise<string>
  /** Puts a message into a file of the agent's workspace (core/message/message-file.ts). Throws MESSAGE_REFUSED. Absent: it cannot. */
  writeMessage?(handle: RuntimeHandle, messageId: string, text: string): Promise<void>
  /** The same for a file that goes along with a message, at its path from the root of the workspace. Absent: it cannot. */
  writeAttachment?(handle: RuntimeHandle, attachment: Attachment, bytes: Buffer): Promise<void>
  /** Stops the agent where it is, with everything it has started, or lets it go on. Absent: it cannot. */
  setStopped?(handle: RuntimeHandle, stopped: boolean): Promise<void>
  /** A commit beside the agent, for gates. Throws when the place cannot be reached now. Absent: it cannot do that. */
  checkOut?(handle: RuntimeHandle, request: FarCheckoutRequest): Promise<FarCheckout | GonePlace>
}

/** A terminal of the user that the runtime did not make, but could type into. */
export interface ForeignTerminal {
  /** What a person types to name it. */
  name: string
  /** Where a person finds it. */
  where: string
  /** The process that it was opened with. */
  root: ProcessIdentity
  /** For `take` alone. */
  address: Record<string, string>
}

export interface ForeignTerminals {
  /** Of this user only. Those of a server that does not answer are left out. */
  list(): Promise<ForeignTerminal[]>
  /** Marks it as this launch's. The terminal, its other programs and its size stay the user's: `destroy` ends the agent alone. */
  take(
    terminal: ForeignTerminal,
    launch: Pick<RuntimeLaunch, 'name' | 'spawnId' | 'stateDir' | 'workspacePath'>,
    agent: ProcessIdentity,
  ): Promise<RuntimeHandle>
}

export interface EventLogs {
  /** About how many bytes of its log would go; 0: none of it, or it is running. */
  spareBytes(handle: RuntimeHandle): Promise<number>
  /** Only the end of its log stays, which says what went; how many bytes did. Throws for a session that is running. */
  trim(handle: RuntimeHandle): Promise<number>
}

export interface Runtime {
  readonly name: string
  /** Starts the agent. When it throws, nothing is left running. */
  create(launch: RuntimeLaunch): Promise<RuntimeHandle>
  /**
   * Resolves when no process of the session is left, including escaped children. Idempotent. Ends only what is proven to
   * belong to the launch that the handle names.
   */
  destroy(handle: RuntimeHandle, options?: DestroyOptions): Promise<void>
  /** Enters the text as one message and submits it. Throws when it could not be handed over. Never twice. */
  sendMessage(handle: RuntimeHandle, text: string, options?: SendOptions): Promise<void>
  /** Types these bytes, unless `check`, called immediately before, throws. For dialogs, which take keys. */
  pressKeys?(handle: RuntimeHandle, keys: string, check: () => Promise<void>): Promise<void>
  /** What is visible now, with colour sequences (SGR). '' for a dead session. Never throws. */
  getStyledScreen?(handle: RuntimeHandle): Promise<string>
  /** Does the terminal collect a line before its program reads it? null: that could not be found out. Never throws. */
  isInLineMode?(handle: RuntimeHandle): Promise<boolean | null>
  /** The last lines of the screen; '' for a dead session. Never throws. */
  getOutput(handle: RuntimeHandle, lines?: number): Promise<string>
  /** The same for many sessions at once, keyed by `handle.id`; where one call is cheaper than many. Never throws. */
  getOutputs?(handles: RuntimeHandle[], lines?: number): Promise<Map<string, string>>
  /** true and false are proofs; throws when it is unknown. */
  isAlive(handle: RuntimeHandle): Promise<boolean>
  /** One call for all sessions. Never throws; keyed by `handle.id`. */
  probe?(handles: RuntimeHandle[]): Promise<Map<string, Liveness>>
  /** A `probe` of many sessions follows in a moment: what it needs may be asked for already. Never throws. */
  prepareProbe?(): void
  /** The runtime may still hold something under this name though no handle was recorded (a crashed spawn). */
  find?(launch: { name: string; spawnId: string; stateDir: string }): Promise<RuntimeHandle | null>
  getAttachInfo?(handle: RuntimeHandle): Promise<AttachInfo>
  /** For long-lived processes: reports an end within moments. The opener closes it. */
  watch?(onChange: (handleIds: string[]) => void): RuntimeWatch
  /** The agent's terminal, live. Throws when it has none that can be shown now. */
  openTerminal?(handle: RuntimeHandle, viewer: TerminalViewer): Promise<LiveTerminal>
  /** Agents that were started in the user's own terminals. Absent: it has no such terminals. */
  readonly foreign?: ForeignTerminals
  /** Names of everything it is running, for `ao doctor`. Throws when that is unknown. */
  listNames?(): Promise<string[]>
  /** The text of `sendMessage` may be at most this long; longer ones are refused by the caller. */
  readonly maxMessageBytes?: number
  /** It speaks the Agent Client Protocol with its agents: it starts `Agent.getAcpCommand`, and a prompt is a message. */
  readonly drivesAcpAgents?: true
  /** It knows from events what its sessions are doing, so screens and agents' files need not be read. */
  readonly events?: SessionEvents
  /** What it keeps of sessions that have ended, for the limits of the disk. Absent: nothing, or nothing that grows. */
  readonly eventLog?: EventLogs
  /** Its agents run elsewhere, in a workspace of their own; the one at home is a mirror. Agents' files are read there. */
  readonly elsewhere?: Elsewhere | undefined
  /** Can `create` continue this session (`RuntimeLaunch.resumes`), with everything the agent remembers of it? */
  canResume?(handle: RuntimeHandle): Promise<boolean>
  /** Can `create` begin with a copy of its conversation (`RuntimeLaunch.forks`)? As far as can be told before its agent is asked. */
  canFork?(handle: RuntimeHandle): Promise<boolean>
}
