// A coding tool: how it is started, resumed and observed. Everything it reports comes from its own files.
import type { AgentConfig, PermissionMode, ProjectConfig } from '../contract/config.ts'
import type { ScreenInput } from '../contract/dialog.ts'
import type { Role } from '../contract/record-values.ts'
import type { AgentSessionInfo, Session } from '../contract/session.ts'
import type { ActivityState } from '../contract/status.ts'
import type { JsonObject } from '../core/text/json-fields.ts'

/** Directories outside the workspace, for an agent whose commands run in a sandbox of its own. */
export interface SandboxNeeds {
  /** Directories that `git` and `gh` have to write. */
  write: string[]
  /** More of them, to be opened only where `protect` can be kept: what is in them is obeyed outside the sandbox. */
  writeIfProtected: string[]
  /** Inside these: what must not change, because it is obeyed outside the sandbox. */
  protect: string[]
}

export interface AgentLaunch {
  sessionId: string
  project: ProjectConfig
  workspacePath: string
  issueId?: string | undefined
  /** The task. Undefined for a bare start. */
  prompt?: string | undefined
  /** Instructions in addition to the task, as a file outside the workspace. */
  systemPromptFile?: string | undefined
  permissions: PermissionMode
  /** It plans first, and changes nothing before a person agrees; only for an agent with `hasPlanMode`. */
  mode?: 'plan' | undefined
  model?: string | undefined
  config: AgentConfig
  role: Role
  /** The agent continues a session of its own: `conversationId` is not used. */
  isResume?: boolean | undefined
  /** A UUID for the new conversation, for agents that let ao choose it. */
  conversationId: string
  /** What `readFacts` found in this workspace. Absent: the agent was not asked. */
  facts?: unknown
  /** Private directory (0700) of this session outside the workspace: hook settings, state, captured events. */
  stateDir: string
  /** Without it, an agent's own sandbox refuses what `git` and `gh` write. */
  sandbox?: SandboxNeeds | undefined
  /** argv that starts ao's MCP server (`ao mcp`), for agents that support MCP servers. */
  mcpCommand: string[]
  /** argv prefix that records one hook event (stdin JSON): `ao-hook <agent>`, appended with the event name. */
  hookCommand: string[]
}

export interface ActivityReading {
  state: ActivityState
  timestamp?: Date | undefined
  /** The evidence, in words: shown by `ao why`. */
  evidence?: string | undefined
  /** With `waiting_input`: it asks in text, at its input line, so a message is the answer. */
  asksInWords?: boolean | undefined
  /** Its last turn ended well: it waits for the next one, however long ago that was. */
  turnEnded?: true | undefined
  /** Its turn is about to end without another request: a message that comes now would stay unanswered. */
  isEnding?: true | undefined
  /** The records cannot say whether it asks something now: its screen is read several times a second. */
  watchScreen?: true | undefined
}

/** refused: by a hook of the user's, so that its model never gets it. null: there are no records that could show it. */
export type Seen = boolean | 'refused' | null

export interface ReadOptions {
  readyThresholdMs: number
  now: Date
  /** Private directory of the session, the same as at launch. */
  stateDir: string
}

/** The agent's own conversation of a session, as files that can be taken to another machine. */
export interface AgentConversation {
  /** Absolute paths, by names that say nothing about this machine. Empty: nothing was said yet. */
  files(session: Session, options: ReadOptions): Promise<Record<string, string>>
  /**
   * Before `getRestoreCommand`, where these files are about to be written: makes them known as this session's, and returns
   * where each belongs. The names come from another machine: one that is not its own is left out.
   */
  adopt(names: readonly string[], launch: AgentLaunch): Promise<Record<string, string>>
}

/** What was said in a session, from the agent's own records, for the search. All of it was written by other programs. */
export interface AgentTranscripts {
  /** Of this session alone. Each begins with the absolute path of its file, and means the same tomorrow. */
  names(session: Session, options: ReadOptions): Promise<readonly string[]>
  /** Where in a record the texts are that somebody said or a tool reported; null: it is about the agent's own affairs. Pure. */
  spokenIn(record: JsonObject): unknown
  /** Absent: they are plain files, and each line of one is a record. */
  readonly rows?: TranscriptRows
}

export interface TranscriptRows {
  /** What it was like when it was read; null: there is none. `bytes` only grows while it is added to. */
  stamp(name: string): Promise<{ inode: number; bytes: number; changed: number } | null>
  /** What its records are found by, in their order: the first `most` of them. */
  keys(name: string, most: number): Promise<string[]>
  /** As many records as keys, each with a `timestamp`. */
  read(name: string, keys: readonly string[]): Promise<JsonObject[]>
}

/** What somebody said to the agent without ao. All of it was written by other programs: the title is for people to read only. */
export interface FoundConversation {
  id: string
  /** One of those that were asked about. */
  directory: string
  at: Date
  title: string | null
}

/** A point in the conversations of a session. */
export type ConversationPoint =
  /** Without this message, entered at or after `since` and before `until`, and everything after it. */
  | { before: { text: string; since: Date; until?: Date | undefined } }
  /** All of this one, by the agent's own id, without what was entered from `until` on. */
  | { id: string; until?: Date | undefined }

/** Never changes a file of the agent: what is gone back to, or begun with, is a copy. */
export interface AgentFork {
  /** Why that point cannot be returned to; null: it can. Changes nothing. */
  whyNot(source: Session, sourceStateDir: string, point: ConversationPoint): Promise<string | null>
  /**
   * Puts a copy of its files where the agent looks for them from the launch's workspace. With a point it ends there, and is known
   * as the newest conversation of the launch's session. Its id; null: there is nothing to copy.
   */
  copy(source: Session, sourceStateDir: string, launch: AgentLaunch, point?: ConversationPoint): Promise<string | null>
  /** Continues that copy, with the task of the launch, if it has one, as its next message. */
  command(launch: AgentLaunch, conversation: string): string[]
}

/** One rule in a file of the agent. */
export interface AgentRule {
  effect: 'allow' | 'deny' | 'ask'
  rule: string
  file: string
  /** How a person revokes it. */
  how: string
}

export interface Agent {
  readonly name: string
  /** inline: the prompt is in the launch command; post-launch: it is sent as a message. */
  readonly promptDelivery: 'inline' | 'post-launch'
  /** For an agent whose command is the user's: derived from its configuration; wins over `promptDelivery`. */
  promptDeliveryFor?(config: AgentConfig): 'inline' | 'post-launch'
  /** Where activity comes from: its own files (`native`) or `.ao/activity.jsonl` fed from the screen. */
  readonly activitySource: 'native' | 'screen'
  /**
   * Text typed before its input line is drawn is lost or not submitted, and on a busy machine that takes many seconds: a
   * message waits until `readScreenInput` sees it.
   */
  readonly drawsInputLate?: true | undefined
  /** It may be any program: one without an input line on its screen takes text if its terminal is in line mode. */
  readonly mayReadLines?: true | undefined
  /** false: gets no `.ao/AGENTS.md`, because it learns its context in another way. */
  readonly readsAoDirectory: boolean

  /**
   * Files and directories of the repository that it obeys (contract/agent-files.ts): started only when the user has
   * consented to them. Absent: unknown, so every known one counts.
   */
  readonly repositoryFiles?: readonly string[] | undefined

  /** In a terminal it can be started so that it only plans. */
  readonly hasPlanMode?: true

  /** Record key under which the agent's own session id is kept, e.g. `opencodeSessionId`. */
  readonly sessionIdKey?: string

  /**
   * What the agent itself reports about its settings in the workspace, where its command depends on them: given back to it as
   * `facts` of the launch. May start its program, with the user's consent to the files there; changes nothing.
   */
  readFacts?(launch: AgentLaunch): Promise<unknown>
  /** From the launch alone: `--dry-run` prints it, before anything exists. */
  getLaunchCommand(launch: AgentLaunch): string[]
  /**
   * The command that speaks the Agent Client Protocol on stdin and stdout. Absent: the agent has none. Throws what a user
   * can correct, such as a missing command in the configuration.
   */
  getAcpCommand?(launch: AgentLaunch): string[]
  /** Which of its own modes over ACP correspond to our mode, the best first; one that it does not offer is skipped. */
  readonly acpModes?: Partial<Record<PermissionMode, readonly string[]>> | undefined
  /** Over ACP its model is in `getAcpCommand`: it has no setting of the protocol for it. */
  readonly acpModelInCommand?: true
  /** Over ACP it reports the tokens of a turn's last answer only: `getSessionInfo` reads the cost from its records. */
  readonly acpCostInRecords?: true
  /** Over ACP its commands run in a sandbox too, which accepts additional directories. */
  readonly acpSandboxed?: true
  getEnvironment(launch: AgentLaunch): Record<string, string>
  /** Before launch: seeds that prevent start-up dialogs, hook settings. Touches no tracked file; cannot change the command. */
  prepare?(launch: AgentLaunch): Promise<void>
  /** The agent's own resume, or null when this session has none. May wait until the agent can resume, and then says so. */
  getRestoreCommand?(
    session: Session,
    launch: AgentLaunch,
    onProgress?: (line: string) => void,
  ): Promise<string[] | null>
  /**
   * Conversations that were held in exactly these directories, from its own files; changes nothing. `getRestoreCommand` continues the
   * one that a record names as its `conversation`. Absent: they cannot be listed.
   */
  listConversations?(directories: readonly string[]): Promise<FoundConversation[]>
  /** Begins with a copy of another session's conversation. Absent: in a terminal it cannot. */
  readonly fork?: AgentFork
  /**
   * Its resume leaves its first message out of the conversation: that message, as this launch would give it. It is sent again
   * after a restore, for reference. null: there was none. Absent: a resumed agent knows its first message.
   */
  messageLostByResume?(launch: AgentLaunch): string | null
  /** Absent: its conversation stays on the machine where it was held. */
  readonly conversation?: AgentConversation
  /** Absent: only its screen is searched. */
  readonly transcripts?: AgentTranscripts
  postLaunchSetup?(session: Session): Promise<void>

  /** From native files, even when the runtime is gone. null: unknown. */
  getActivityState(session: Session, options: ReadOptions): Promise<ActivityReading | null>
  /** From the screen's text; used only when the native reading answers null. */
  detectActivity(terminalText: string): ActivityState | null
  /**
   * What the screen accepts: text only where it shows the agent's input line, or the keys of a dialog. Nothing is typed into a
   * screen that it does not recognize. Pure. Absent: the agent takes text unless `detectActivity` says that it waits.
   */
  readScreenInput?(terminalText: string): ScreenInput
  /**
   * The text in its input line, from the screen with its colours: they distinguish what was typed from what the agent
   * suggests there. '' for none, null for a screen without the input line. Pure. Absent: the screen never shows it.
   */
  readonly readDraft?: ((styledText: string) => string | null) | undefined
  /**
   * Only colours show which option of its dialogs is marked: to answer one, `readScreenInput` needs the screen with them.
   */
  readonly marksByColour?: true
  /** Each character that its input line treats as a command when a message begins with it. Absent: every one that some agent does. */
  readonly inputCommands?: string | undefined
  /**
   * Bytes of a message that its input line hands on whole: a longer one is put into a file of the workspace, and what is typed
   * names the file. Absent: every message is typed.
   */
  readonly typedLimit?: number | undefined
  /** How a message names a file for its agent to read it, with `{path}` for the file. Absent: by its path alone. */
  readonly fileMention?: string | undefined
  /** Its input line removes invisible marks and then waits for a second Enter: they are removed beforehand. */
  readonly dropsInvisible?: true
  getSessionInfo(session: Session, options: ReadOptions): Promise<AgentSessionInfo | null>
  /** Do the agent's own records show this message, entered at or after `since`? */
  hasSeen?(session: Session, text: string, since: Date, options: ReadOptions): Promise<Seen>
  /** Rules in the agent's own files that let it act without asking, or forbid it. Absent: it has none that ao can read. */
  readStandingRules?(session: Session): AgentRule[]
  /** Append what the screen shows to `.ao/activity.jsonl` (agents with `activitySource: 'screen'`). */
  recordActivity?(session: Session, terminalText: string, now: Date): Promise<void>
  /** Files and directories whose change means news, for watching. */
  watchPaths?(session: Session, options: ReadOptions): Promise<string[]>
}
