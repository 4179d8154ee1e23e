// What a host is given to start, and what it reports.
import type { SpoolLimits } from './spool.ts'

export interface HostSpec {
  /** Its own, private and empty. */
  directory: string
  /** In the environment of every process of the agent. */
  spawnId: string
  /** Of the session, for whoever asks who is there. */
  name?: string | undefined
  command: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
  /** Given back to every reader, and kept in memory only: secrets go here. */
  keep?: unknown
  limits?: SpoolLimits | undefined
  /** The agent has a terminal. Absent: pipes. */
  terminal?: TerminalSpec | undefined
}

export interface TerminalSpec {
  /** Where the host listens; not in its directory, so that every host of a user can be found. */
  socket: string
  cols: number
  rows: number
  /** Of the session: the terminal is recorded there. null: it is not. */
  recording: string | null
}

export type HostReport =
  | { ok: true; host: string; agent: string | null }
  | { ok: false; message: string; code: string | null }
