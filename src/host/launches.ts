// The hosts of a session's launches, found by its state directory; also those that an earlier version started.
import { mkdirSync } from 'node:fs'
import { removeTree } from '../lib/remove.ts'
import {
  type ExitRecord,
  type HostRecord,
  hostDirectories,
  hostDirectory,
  readExitRecord,
  readHostRecord,
  takeLaunch,
  writeExitRecord,
} from './files.ts'
import { readOldExit, readOldRecord, readOldRecords, removeOldFiles, removeOldSpec } from './old/files.ts'

export function readLaunch(stateDir: string, spawnId: string): HostRecord | null {
  const record = readHostRecord(hostDirectory(stateDir, spawnId))
  return record?.spawnId === spawnId ? record : readOldRecord(stateDir, spawnId)
}

/** Of every launch in this directory that is not cleaned up yet. */
export function readLaunches(stateDir: string): HostRecord[] {
  const records = hostDirectories(stateDir).flatMap((directory) => readHostRecord(directory) ?? [])
  return [...records, ...readOldRecords(stateDir)]
}

/** From here on nothing of this launch starts that has not started already. */
export function preventLaunch(stateDir: string, spawnId: string): void {
  takeLaunch(hostDirectory(stateDir, spawnId))
  removeOldSpec(stateDir, spawnId)
}

/** Also of an agent whose host is elsewhere, and has no directory here. */
export function writeExit(stateDir: string, exit: ExitRecord): void {
  const directory = hostDirectory(stateDir, exit.spawnId)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeExitRecord(directory, exit)
}

export function readExit(stateDir: string, spawnId: string): ExitRecord | null {
  const exit = readExitRecord(hostDirectory(stateDir, spawnId))
  return exit?.spawnId === spawnId ? exit : readOldExit(stateDir, spawnId)
}

/** Removes the files of a finished launch. */
export function removeLaunch(stateDir: string, spawnId: string): void {
  removeTree(hostDirectory(stateDir, spawnId))
  removeOldFiles(stateDir, spawnId)
}
