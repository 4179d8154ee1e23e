// Classifies an error. Where it happened decides first; the error itself only refines it.
import type { FailureKind } from '../../../contract/agh/session-terms.ts'

export type FailurePhase =
  | 'prepare'
  | 'launch'
  | 'initialize'
  | 'load_session'
  | 'fork_session'
  | 'new_session'
  | 'prompt'
  | 'request'

export interface FailureEvidence {
  phase: FailurePhase
  /** The code of a JSON-RPC error, when the agent answered with one. */
  rpcCode?: number | undefined
  /** The agent's process has ended. */
  exited?: boolean
  /** Its output ended or could not be read while it was needed. */
  transportClosed?: boolean
  timedOut?: boolean
  canceled?: boolean
  denied?: boolean
}

const REQUEST_CANCELLED = -32_800

export function classifyFailure(evidence: FailureEvidence): FailureKind {
  const { phase } = evidence
  if (evidence.denied) return 'permission_failure'
  if (evidence.canceled || evidence.rpcCode === REQUEST_CANCELLED) return 'cancellation'
  if (phase === 'prepare' || phase === 'launch') return 'startup_failure'
  // An unfinished handshake is one, whether the agent died, hung or answered nonsense.
  if (phase === 'initialize') return 'handshake_failure'
  if (phase === 'load_session' || phase === 'fork_session') return 'load_session_failure'
  if (evidence.exited) return 'process_exit'
  if (evidence.transportClosed) return 'transport_failure'
  if (evidence.timedOut) return 'timeout'
  if (phase === 'prompt') return 'prompt_failure'
  return evidence.rpcCode === undefined ? 'unknown_failure' : 'protocol_failure'
}

/** Kinds whose evidence is worth a file of its own. */
const BUNDLED: readonly FailureKind[] = [
  'startup_failure',
  'handshake_failure',
  'load_session_failure',
  'protocol_failure',
  'process_exit',
  'transport_failure',
  'unknown_failure',
]

export function deservesCrashBundle(kind: FailureKind): boolean {
  return BUNDLED.includes(kind)
}
