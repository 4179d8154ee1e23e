// What the executor of a launch is given, and what its steps pass to each other.

import type { AgentAccount } from '../../contract/account.ts'
import type { GivenFile } from '../../contract/agh/attachment.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import type { OtherEvent } from '../../contract/events.ts'
import type { RecordChange } from '../../contract/record.ts'
import type { RuntimeHandle, Session } from '../../contract/session.ts'
import type { SessionStatus } from '../../contract/status.ts'
import type { LaunchStep } from '../../core/session/plan-launch.ts'
import type { Spent } from '../../core/status/spent.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import type { Workspace, WorkspaceInfo } from '../../slots/workspace.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import type { Claims } from '../own-record.ts'
import type { OnProgress } from '../types.ts'
import type { LaunchParts, PlannedLaunch } from './plan.ts'
import type { Undo } from './undo.ts'

/** The restored session, as it was. */
export interface Restoring {
  stored: Claims
  previous: SessionStatus
  fromArchive: boolean
  by: string
  /** It continues with another account, in a conversation of its own; null: as it was. */
  change: AccountChange | null
  /** Reported to the user even without progress output. */
  onNotice: OnProgress
}

export interface AccountChange {
  from: AgentAccount
  to: AgentAccount
  why: string
}

export interface LaunchJob extends PlannedLaunch {
  project: ProjectConfig
  store: SessionStore
  parts: LaunchParts
  /** null: it works in the project's own directory. */
  workspace: Workspace | null
  /** null: the session is new. */
  restoring: Restoring | null
  onProgress: OnProgress
  /** What goes along with its prompt, and is not kept yet. */
  files?: readonly GivenFile[] | undefined
}

export interface Resume {
  command: string[]
  /** The ended session that the runtime itself continues. */
  ended: RuntimeHandle | null
  /** It begins with a copy of another session's conversation, and gets its task as any other; by the runtime: of this one. */
  fork?: { of: RuntimeHandle | undefined }
  /** It goes back within its own conversation, to a copy. */
  goesBack?: true
}

/** What the steps pass to each other. */
export interface LaunchRun extends LaunchJob {
  undo: Undo
  /** The current step, named in the history when it fails. */
  step: LaunchStep
  path: string
  /** With the session's own ports. */
  variables: Record<string, string>
  /** The planned one in the workspace that there is now; null: nothing was asked of the agent yet. */
  launch: AgentLaunch | null
  created: WorkspaceInfo | null
  /** Its new workspace survives a power loss. */
  settled: Promise<void>
  /** The agent's or the runtime's own way to continue; null: it starts afresh. */
  resume: Resume | null
  promptDelivered: RecordChange['promptDelivered']
  /** Its first message is among those that wait for it. */
  remindsAgent: boolean
  /** Its files before its prompt, for the history. */
  saved: OtherEvent[]
  command: string[]
  handle: RuntimeHandle | null
  /** What the agent counts as used before it is started; null: nothing. */
  usedBefore: Spent | null
  /** As it was last recorded; null: it was not started yet. */
  recorded: Session | null
}

export interface Launched {
  session: Session
  /** To be sent now; null: there is none, or the agent has it. */
  prompt: string | null
  /** Its first message waits for it, to be delivered now. */
  remindsAgent: boolean
}
