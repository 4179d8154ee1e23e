// Files of the hosts of terminals up to 0.1: in the session's state directory, one of each kind per launch. Only read, for agents
// that were started before an upgrade. To be deleted with the release after the next, when no such agent can be running any longer.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere } from '../../lib/plain-file.ts'
import { removeFile } from '../../lib/remove.ts'
import type { ExitRecord, HostRecord } from '../files.ts'

export function readOldRecord(stateDir: string, spawnId: string): HostRecord | null {
  return readJson<HostRecord>(join(stateDir, `process-host-${spawnId}.json`))
}

export function readOldRecords(stateDir: string): HostRecord[] {
  const spawnIds = readdirSync(stateDir).flatMap((name) => /^process-host-(.+)\.json$/.exec(name)?.[1] ?? [])
  return spawnIds.flatMap((spawnId) => readOldRecord(stateDir, spawnId) ?? [])
}

export function readOldExit(stateDir: string, spawnId: string): ExitRecord | null {
  const exit = readJson<ExitRecord & { exitCode: number | null }>(join(stateDir, `process-exit-${spawnId}.json`))
  if (exit === null) return null
  const { exitCode, ...rest } = exit
  return { ...rest, code: exitCode }
}

/** A host that did not claim it yet starts nothing. */
export function removeOldSpec(stateDir: string, spawnId: string): void {
  removeFile(join(stateDir, `process-launch-${spawnId}.json`))
}

export function removeOldFiles(stateDir: string, spawnId: string): void {
  for (const kind of ['host', 'exit']) removeFile(join(stateDir, `process-${kind}-${spawnId}.json`))
}

function readJson<T>(file: string): T | null {
  const text = readIfThere(file)
  return text === null ? null : (JSON.parse(text) as T)
}
