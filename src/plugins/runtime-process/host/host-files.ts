// The files through which a host and the commands that use it find each other. All of them are in the session's stateDir.
import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../../../lib/atomic-write.ts'
import { readIfThere, readPlainText } from '../../../lib/plain-file.ts'

/** What the host has to start. Contains secrets: 0600, and removed as soon as the host has read it. */
export interface HostSpec {
  name: string
  spawnId: string
  command: string[]
  environment: Record<string, string>
  workspacePath: string
  socket: string
  cols: number
  rows: number
  /** Its terminal is recorded beside its other files. */
  isRecorded: boolean
}

/** The process identities of host and agent; null until they exist. */
export interface HostState {
  spawnId: string
  host: string
  agent: string | null
  socket: string | null
}

/** Written once, after the agent has ended: the proof that it did, and how. */
export interface HostExit {
  spawnId: string
  exitCode: number | null
  signal: string | null
  at: string
  /** The last screen. */
  screen: string
  /** Where there is more to say than code and signal. */
  why?: string | undefined
}

export function hostLogFile(stateDir: string): string {
  return join(stateDir, 'process-host.log')
}

export function writeSpec(stateDir: string, spec: HostSpec): void {
  writeFileAtomic(specFile(stateDir, spec.spawnId), JSON.stringify(spec), { mode: 0o600, durable: false })
}

/**
 * Claims the spec exclusively: either the host starts the agent or nothing ever will. null: it was already claimed, or
 * never written.
 */
export function takeSpec(stateDir: string, spawnId: string): HostSpec | null {
  const taken = `${specFile(stateDir, spawnId)}.${process.pid}`
  try {
    renameSync(specFile(stateDir, spawnId), taken)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    return JSON.parse(readPlainText(taken)) as HostSpec
  } finally {
    rmSync(taken, { force: true })
  }
}

export function writeState(stateDir: string, state: HostState): void {
  writeFileAtomic(stateFile(stateDir, state.spawnId), JSON.stringify(state))
}

export function readState(stateDir: string, spawnId: string): HostState | null {
  return readJson<HostState>(stateFile(stateDir, spawnId))
}

/** Of every launch in this directory that is not cleaned up yet. */
export function readAllStates(stateDir: string): HostState[] {
  const ofLaunch = readdirSync(stateDir).flatMap((name) => /^process-host-(.+)\.json$/.exec(name)?.[1] ?? [])
  return ofLaunch.flatMap((spawnId) => readState(stateDir, spawnId) ?? [])
}

export function writeExit(stateDir: string, exit: HostExit): void {
  writeFileAtomic(exitFile(stateDir, exit.spawnId), JSON.stringify(exit))
}

export function readExit(stateDir: string, spawnId: string): HostExit | null {
  return readJson<HostExit>(exitFile(stateDir, spawnId))
}

/** Removes the files of a finished launch. */
export function removeHostFiles(stateDir: string, spawnId: string): void {
  rmSync(stateFile(stateDir, spawnId), { force: true })
  rmSync(exitFile(stateDir, spawnId), { force: true })
}

// Each launch has its own files: a late host cannot write into those of the next one.
function specFile(stateDir: string, spawnId: string): string {
  return join(stateDir, `process-launch-${spawnId}.json`)
}

function stateFile(stateDir: string, spawnId: string): string {
  return join(stateDir, `process-host-${spawnId}.json`)
}

function exitFile(stateDir: string, spawnId: string): string {
  return join(stateDir, `process-exit-${spawnId}.json`)
}

function readJson<T>(file: string): T | null {
  const text = readIfThere(file)
  return text === null ? null : (JSON.parse(text) as T)
}
