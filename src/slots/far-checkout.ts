// A checkout of one commit beside an agent that runs elsewhere, for commands whose result ao decides by: gates.
import type { EnvironmentRule } from '../core/session/agent-environment.ts'

export interface CheckEnd {
  kind: 'passed' | 'failed' | 'cancelled'
  exitCode: number | null
  why: string
}

export interface FarCheckoutRequest {
  /** A repository at home that has the commit. */
  repository: { commonDir: string; env: NodeJS.ProcessEnv }
  commit: string
  /** `environment` of the project. */
  rule: EnvironmentRule
}

export interface FarCommand {
  name: string
  run: string
  timeoutMs: number
}

/** A directory of its own, not the agent's workspace. */
export interface FarCheckout {
  /** Resolves with how it ended, with its log in the file. Throws when that cannot be known, as when the line is lost. */
  run(command: FarCommand, how: { logFile: string; signal: AbortSignal }): Promise<CheckEnd>
  /** Ends what is still running there and removes the directory. Never throws. */
  close(): Promise<void>
}

/** The place no longer exists: a proof, not a guess. */
export interface GonePlace {
  gone: string
}

/** Where the agent of a session runs. */
export type SessionPlace =
  | { kind: 'home' }
  | { kind: 'gone'; place: string; why: string }
  | { kind: 'place'; place: string; checkOut(request: FarCheckoutRequest): Promise<FarCheckout | GonePlace> }
