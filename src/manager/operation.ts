// The intent of a change, written into the session's record before the change begins and taken out when it is complete.
// A record that still carries one whose process is gone was left by a crash: recover.ts finishes or takes it back.
import type { Operation } from '../contract/events.ts'
import { currentProcess, formatIdentity, parseIdentity, processState } from '../lib/process/process-identity.ts'

import { jsonValue } from '../store/session/metadata-codec.ts'

export interface OperationRecord {
  kind: Operation
  owner: string
  ownerAlive: boolean
  /** What the operation needs to be finished or taken back, e.g. the status before. */
  data: Record<string, string>
}

const KINDS: readonly string[] = ['spawn', 'kill', 'restore', 'cleanup'] satisfies Operation[]

/** Metadata keys that announce the operation. */
export function operationKeys(kind: Operation, data: Record<string, string> = {}): Record<string, string> {
  return {
    operation: kind,
    operationOwner: formatIdentity(currentProcess()),
    ...(Object.keys(data).length > 0 ? { operationData: jsonValue(data) } : {}),
  }
}

/** Whoever types a command or presses a button; the loop names its reaction instead. */
export const THE_USER = 'the user'

/** Metadata change that says it is over. */
export const NO_OPERATION = { operation: null, operationOwner: null, operationData: null } as const

export function readOperation(pairs: Record<string, string>): OperationRecord | null {
  const kind = pairs.operation
  if (kind === undefined || !KINDS.includes(kind)) return null
  const owner = pairs.operationOwner ?? ''
  const identity = parseIdentity(owner)
  return {
    kind: kind as Operation,
    owner,
    // Unknown is not dead: only a process that is proven gone has abandoned its work.
    ownerAlive: identity !== null && processState(identity) !== 'dead',
    data: parseData(pairs.operationData),
  }
}

function parseData(text: string | undefined): Record<string, string> {
  if (!text) return {}
  try {
    const data: unknown = JSON.parse(text)
    return typeof data === 'object' && data !== null ? (data as Record<string, string>) : {}
  } catch {
    // Edited by hand: the operation is then taken back by what the rest of the record says.
    return {}
  }
}
