// Why a session stopped, as the contract's reason, from what happened to it.
import type { FailureKind, StopReason } from '../../../contract/agh/session-terms.ts'

export interface ExitStatus {
  code: number | null
  signal: string | null
}

export type StopCause =
  | { kind: 'user'; detail: string | null; how?: StopManner }
  | { kind: 'shutdown' }
  | { kind: 'hook_denied'; detail: string }
  | { kind: 'timeout'; detail: string }
  /** The agent ended without being asked to. */
  | { kind: 'exited'; exit: ExitStatus }
  /** The agent is alive, but protocol traffic with it is no longer possible. */
  | { kind: 'transport'; detail: string }
  | { kind: 'start_failed'; failure: FailureKind; detail: string }
  | { kind: 'internal'; detail: string }

export interface StopManner {
  /** Without asking the agent first. */
  force: boolean
  /** How long the agent may take to end on its own, when it differs from the configuration. */
  graceMs?: number | undefined
  /** The agent, which can do that, is asked to close the conversation first. */
  closes?: boolean
}

export interface StopClass {
  reason: StopReason
  detail: string | null
  failure: FailureKind | null
}

const REASONS_BY_DETAIL: readonly StopReason[] = ['max_iterations', 'loop_detected', 'budget_exceeded']

export function classifyStop(cause: StopCause, turnWasRunning: boolean): StopClass {
  switch (cause.kind) {
    case 'user':
      return { reason: userReason(cause.detail), detail: cause.detail, failure: turnWasRunning ? 'cancellation' : null }
    case 'shutdown':
      return { reason: 'shutdown', detail: 'daemon shutdown', failure: turnWasRunning ? 'cancellation' : null }
    case 'hook_denied':
      return { reason: 'hook_stopped', detail: cause.detail, failure: 'permission_failure' }
    case 'timeout':
      return { reason: 'timeout', detail: cause.detail, failure: 'timeout' }
    case 'exited':
      return classifyExit(cause.exit, turnWasRunning)
    case 'transport':
      return { reason: 'error', detail: cause.detail, failure: 'transport_failure' }
    case 'start_failed':
      return { reason: startReason(cause.failure), detail: cause.detail, failure: cause.failure }
    case 'internal':
      return { reason: 'error', detail: cause.detail, failure: 'unknown_failure' }
  }
}

export function describeExit({ code, signal }: ExitStatus): string {
  if (signal !== null) return `the agent was ended by ${signal}`
  return code === null ? 'the agent ended' : `the agent exited with code ${code}`
}

function classifyExit(exit: ExitStatus, turnWasRunning: boolean): StopClass {
  const detail = describeExit(exit)
  if (exit.code !== 0) return { reason: 'agent_crashed', detail, failure: 'process_exit' }
  if (turnWasRunning) return { reason: 'error', detail: `${detail} during a turn`, failure: 'process_exit' }
  return { reason: 'completed', detail, failure: null }
}

function userReason(detail: string | null): StopReason {
  return REASONS_BY_DETAIL.find((reason) => detail?.toLowerCase().includes(reason)) ?? 'user_canceled'
}

function startReason(failure: FailureKind): StopReason {
  if (failure === 'cancellation') return 'user_canceled'
  return failure === 'permission_failure' ? 'hook_stopped' : 'error'
}
