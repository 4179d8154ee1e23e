// The files of a host, all in its own directory.
import { readdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../lib/atomic-write.ts'
import { readIfThere } from '../lib/plain-file.ts'
import { sha256Hex } from '../lib/sha256-hex.ts'
import type { AgentExit } from './protocol.ts'

/** Written before the agent is started: whoever finds the directory finds the host. */
export interface HostRecord {
  spawnId: string
  /** Process identities, see lib/process/process-identity.ts. null: not started yet. */
  host: string
  agent: string | null
  /** Where it listens, once it does. Absent: in its directory. */
  socket?: string | null | undefined
  /** The host is not on this machine, and the socket leads to it: see elsewhere.ts. */
  isElsewhere?: boolean | undefined
}

/** Written once, when the agent has ended: the proof that it did, and how. */
export interface ExitRecord extends AgentExit {
  spawnId: string
  at: string
  /** The last screen, of an agent on a terminal. */
  screen?: string | undefined
  /** Where there is more to say than code and signal. */
  why?: string | undefined
}

/** Each start has its own: a late host cannot write into that of the next one. */
export function hostDirectory(base: string, spawnId: string): string {
  return join(base, `host-${sha256Hex(spawnId).slice(0, 8)}`)
}

/** Of every launch below this directory that is not cleaned up yet. */
export function hostDirectories(base: string): string[] {
  return readdirSync(base)
    .filter((name) => /^host-[0-9a-f]{8}$/.test(name))
    .map((name) => join(base, name))
}

export function hostSocket(directory: string): string {
  return join(directory, 'host.sock')
}

export function recordFile(directory: string): string {
  return join(directory, 'host.json')
}

export function writeHostRecord(directory: string, record: HostRecord): void {
  write(recordFile(directory), record, false)
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

/** Before the host gets its spec: from here on it may start the agent. */
export function allowLaunch(directory: string): void {
  writeFileAtomic(launchFile(directory), '', { durable: false })
}

/**
 * Claims the launch exclusively: either the host starts the agent, or nothing ever will. false: somebody else has claimed it, or
 * nobody ever allowed it.
 */
export function takeLaunch(directory: string): boolean {
  try {
    unlinkSync(launchFile(directory))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function launchFile(directory: string): string {
  return join(directory, 'launch')
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
