// The files of a host, all in its own directory, which `leave` removes.
import { join } from 'node:path'
import { writeFileAtomic } from '../lib/atomic-write.ts'
import { readIfThere } from '../lib/plain-file.ts'
import type { AgentExit } from './protocol.ts'

/** Written before the agent is started: whoever finds the directory finds the host. */
export interface HostRecord {
  spawnId: string
  /** Process identities, see lib/process/process-identity.ts. null: not started yet. */
  host: string
  agent: string | null
}

/** Written once, when the agent has ended. */
export interface ExitRecord extends AgentExit {
  spawnId: string
  at: string
}

export function hostSocket(directory: string): string {
  return join(directory, 'host.sock')
}

export function writeHostRecord(directory: string, record: HostRecord): void {
  write(recordFile(directory), record, false)
}

export function recordFile(directory: string): string {
  return join(directory, 'host.json')
}

/** null: there is none, or it cannot be understood. */
export function readHostRecord(directory: string): HostRecord | null {
  return read<HostRecord>(recordFile(directory))
}

export function writeExitRecord(directory: string, record: ExitRecord): void {
  write(join(directory, 'exit.json'), record, true)
}

export function readExitRecord(directory: string): ExitRecord | null {
  return read<ExitRecord>(join(directory, 'exit.json'))
}

/** One writer only, so the temporary name need not be random. */
function write(path: string, value: object, durable: boolean): void {
  writeFileAtomic(path, JSON.stringify(value), { durable, temporary: `${path}.tmp` })
}

function read<T extends { spawnId: string }>(path: string): T | null {
  const text = readIfThere(path, { noFollow: true })
  if (text === null) return null
  try {
    const value = JSON.parse(text) as T | null
    return typeof value?.spawnId === 'string' ? value : null
  } catch {
    // Damaged: it proves nothing.
    return null
  }
}
