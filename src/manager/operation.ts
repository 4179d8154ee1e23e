// The intent of a change, recorded with its process before the change begins and removed when it is complete. A record that still
// carries one whose process is gone was left by a crash: recover.ts finishes it or rolls it back.
import type { Operation } from '../contract/events.ts'
import type { RecordChange, SessionRecord } from '../contract/record.ts'
import type { OperationData } from '../contract/record-values.ts'
import { isTerminalSession } from '../contract/status.ts'
import { currentProcess, formatIdentity, mayBeAlive } from '../lib/process/process-identity.ts'

export interface OperationRecord {
  kind: Operation
  owner: string
  ownerAlive: boolean
  data: OperationData
}

/** The record change that marks it as complete. */
export const NO_OPERATION = { operation: null, operationOwner: null, operationData: null } as const

/** Its agent is where it is to be. */
export const NOT_GOING_BACK = { conversationTo: null, returner: null } as const

/** Of a session that waits: nothing of it exists, and no command is at work on it. */
export const NOT_STARTED: RecordChange = { ...NO_OPERATION, worktree: null, spawnId: null, launch: null }

/** Whoever was to hand over its first prompt is gone: its agent may be running without its task. Not while it waits, or after its end. */
export function isPromptLeft(record: SessionRecord): boolean {
  const { operation, promptDelivered, promptSender, runtimeHandle, status = 'spawning' } = record
  if (operation !== undefined || promptDelivered !== 'no' || promptSender === undefined) return false
  return runtimeHandle !== undefined && !isTerminalSession({ status, activity: null }) && !mayBeAlive(promptSender)
}

/** Sessions that this process itself is ending and starting again. One whose record names it and that is not among them has failed, and a full or broken disk did not take that. */
const ownReturns = new Set<string>()

export async function whileReturning<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
  ownReturns.add(sessionId)
  try {
    return await work()
  } finally {
    ownReturns.delete(sessionId)
  }
}

/** Whoever ended its agent, or was to, so that it goes back in its conversation, is gone: nobody would start it again. */
export function isReturnLeft(sessionId: string, { operation, returner }: SessionRecord): boolean {
  if (operation !== undefined || returner === undefined) return false
  const isOurs = returner === formatIdentity(currentProcess())
  return isOurs ? !ownReturns.has(sessionId) : !mayBeAlive(returner)
}

/** It continues with another account, or goes back in its conversation: what is sent meanwhile waits for the second agent. */
export function isBetweenAgents({ switchTo, returner }: SessionRecord): boolean {
  return switchTo !== undefined || returner !== undefined
}

export function readOperation({ operation, operationOwner, operationData }: SessionRecord): OperationRecord | null {
  if (operation === undefined) return null
  const owner = operationOwner ?? ''
  return {
    kind: operation,
    owner,
    ownerAlive: mayBeAlive(owner),
    // Edited by hand: the operation is then rolled back using the rest of the record.
    data: operationData ?? {},
  }
}
