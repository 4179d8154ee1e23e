// The intent of a change, written into the session's record before the change begins and taken out when it is complete.
// A record that still carries one whose process is gone was left by a crash: recover.ts finishes or takes it back.
import type { Operation } from '../contract/events.ts'
import type { RecordChange, SessionRecord } from '../contract/record.ts'
import { currentProcess, formatIdentity, parseIdentity, processState } from '../lib/process/process-identity.ts'

export interface OperationRecord {
  kind: Operation
  owner: string
  ownerAlive: boolean
  /** What the operation needs to be finished or taken back, e.g. the status before. */
  data: Record<string, string>
}

/** Metadata keys that announce the operation. */
export function operationKeys(kind: Operation, data: Record<string, string> = {}): RecordChange {
  return {
    operation: kind,
    operationOwner: formatIdentity(currentProcess()),
    operationData: Object.keys(data).length > 0 ? data : undefined,
  }
}

/** Whoever types a command or presses a button; the loop names its reaction instead. */
export const THE_USER = 'the user'

/** Metadata change that says it is over. */
export const NO_OPERATION = { operation: null, operationOwner: null, operationData: null } as const

export function readOperation({ operation, operationOwner, operationData }: SessionRecord): OperationRecord | null {
  if (operation === undefined) return null
  const owner = operationOwner ?? ''
  const identity = parseIdentity(owner)
  return {
    kind: operation,
    owner,
    // Unknown is not dead: only a process that is proven gone has abandoned its work.
    ownerAlive: identity !== null && processState(identity) !== 'dead',
    // Edited by hand: then the operation is rolled back by what the rest of the record says.
    data: operationData ?? {},
  }
}
