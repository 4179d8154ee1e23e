// The intent of a change, recorded before the change begins and removed when it is complete. A record that still carries
// one whose process is gone was left by a crash: recover.ts finishes it or rolls it back.
import type { Operation } from '../contract/events.ts'
import type { OperationData, RecordChange, SessionRecord } from '../contract/record.ts'
import { currentProcess, formatIdentity, parseIdentity, processState } from '../lib/process/process-identity.ts'

export interface OperationRecord {
  kind: Operation
  owner: string
  ownerAlive: boolean
  data: OperationData
}

/** Record keys that declare the operation. */
export function operationKeys(kind: Operation, data: OperationData = {}): RecordChange {
  return {
    operation: kind,
    operationOwner: formatIdentity(currentProcess()),
    operationData: Object.keys(data).length > 0 ? data : undefined,
  }
}

/** The person who types a command or presses a button; the loop names its reaction instead. */
export const THE_USER = 'the user'

/** The record change that marks it as complete. */
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
    // Edited by hand: the operation is then rolled back using the rest of the record.
    data: operationData ?? {},
  }
}
