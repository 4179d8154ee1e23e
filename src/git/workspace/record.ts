// What ao knows about a workspace it created, recorded before the workspace exists: `{parent}/.{sessionId}.json`. Creating
// it claims the path; what ao did not create is never removed.

import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import * as z from 'zod/mini'
import { AoError } from '../../contract/errors.ts'
import { createFileExclusive, findHalfWritten, writeFileAtomic } from '../../lib/atomic-write.ts'
import { readIfReachable } from '../../lib/plain-file.ts'
import { currentProcess, formatIdentity, mayBeAlive } from '../../lib/process/process-identity.ts'
import { SPAWN_MARKER } from '../../lib/process/process-tree.ts'
import { removeFile } from '../../lib/remove.ts'
import type { WorkspaceSpec } from '../../slots/workspace.ts'
import { locateGit } from '../git-dir.ts'
import type { Repository } from '../repository.ts'

const recordSchema = z.object({
  version: z.literal(1),
  sessionId: z.string(),
  projectId: z.string(),
  /** Common git directory of the project. */
  repository: z.string(),
  branch: z.string(),
  branchCreated: z.boolean(),
  /** Clones only: the branch's commit in the project when the clone was last in sync with it. */
  base: z.optional(z.string()),
  /**
   * creating: no agent has run in it since it was created, so it is rolled back and never saved. removing: everything in it
   * is saved, and it is being deleted.
   */
  state: z.enum(['creating', 'ready', 'removing']),
  /** Where the directory is moved before it is deleted. */
  trash: z.optional(z.string()),
  /** Commit of the rescue that is restored in it, until the repository says so too. */
  settles: z.optional(z.string()),
  /** Its files come from a place: git-lfs fetches nothing for them. */
  fetchesNothing: z.optional(z.boolean()),
  /** The process that creates it (process-identity.ts). */
  owner: z.string(),
  /** AO_SPAWN_ID of the git that creates it: it outlives a killed owner. */
  spawnId: z.string(),
})
export type WorkspaceRecord = z.infer<typeof recordSchema>

const MARKER = 'ao-session'

function recordFile(path: string): string {
  return join(dirname(path), `.${basename(path)}.json`)
}

/** false: someone else has the path. */
function createRecord(path: string, record: WorkspaceRecord): boolean {
  removeHalfWritten(path)
  return createFileExclusive(recordFile(path), serialize(record))
}

export function updateRecord(path: string, record: WorkspaceRecord): void {
  // Synced in every state: a record without content would prove nothing, and the workspace could be neither used nor removed.
  writeFileAtomic(recordFile(path), serialize(record))
  removeHalfWritten(path)
}

export function removeRecord(path: string): void {
  removeFile(recordFile(path))
  removeHalfWritten(path)
}

/** What a process left that was killed in the middle of writing this very record. */
function removeHalfWritten(path: string): void {
  const file = recordFile(path)
  if (!existsSync(dirname(file))) return
  const begin = join(dirname(file), `.${basename(file)}.`)
  for (const left of findHalfWritten(dirname(file))) if (left.startsWith(begin)) removeFile(left)
}

/** null: missing, or unreadable and therefore no proof. */
export function readRecord(path: string): WorkspaceRecord | null {
  return parseRecord(recordFile(path))
}

/** All of one project, with the path each describes. */
export function listRecords(directory: string): Array<{ path: string; record: WorkspaceRecord }> {
  if (!existsSync(directory)) return []
  return readdirSync(directory).flatMap((name) => {
    const sessionId = /^\.([A-Za-z0-9_-]+)\.json$/.exec(name)?.[1]
    const path = join(directory, sessionId ?? '')
    const record = sessionId === undefined ? null : readRecord(path)
    return record === null ? [] : [{ path, record }]
  })
}

export function writeMarker(gitDir: string, record: WorkspaceRecord): void {
  writeFileAtomic(join(gitDir, MARKER), serialize(record))
}

export function readMarker(gitDir: string): WorkspaceRecord | null {
  return parseRecord(join(gitDir, MARKER))
}

/** The session that a workspace was created for, by the mark inside it or the record beside it. */
export function markedOwner(path: string): string | null {
  const location = locateGit(path)
  const mark = (location && readMarker(location.gitDir)) ?? readRecord(path)
  return mark?.sessionId ?? null
}

/**
 * Environment for git that reads, saves or fills the workspace. Its creation has a marker of its own: hooks run there, and
 * what they leave running belongs to the workspace as long as it is in use.
 */
export function markedEnv(path: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const record = readRecord(path)
  return record === null ? env : { ...env, ...creationEnv(record), [SPAWN_MARKER]: gitMarker(record) }
}

/** The same for git that creates it. */
export function creationEnv({ spawnId, fetchesNothing }: WorkspaceRecord): Record<string, string> {
  return { [SPAWN_MARKER]: spawnId, ...(fetchesNothing && FETCH_NOTHING) }
}

/** git-lfs writes what is here, and asks no server for the rest. */
export const FETCH_NOTHING = { GIT_LFS_SKIP_SMUDGE: '1' }

/** In the environment of git that ao runs there: it outlives an ao that is killed. */
export function gitMarker(record: WorkspaceRecord): string {
  return `${record.spawnId}-git`
}

/** Is it still being created by a live process? */
function isBeingCreated(record: WorkspaceRecord): boolean {
  return record.state === 'creating' && mayBeAlive(record.owner)
}

/** The same, but not by this very process: the caller holds the session's operation lock. */
export function isMadeElsewhere(record: WorkspaceRecord): boolean {
  return isBeingCreated(record) && record.owner !== formatIdentity(currentProcess())
}

/** Is there a workspace at the path whose creation or restore was never completed? */
export function isUnfinished(path: string): boolean {
  return readRecord(path)?.state === 'creating'
}

function serialize(record: WorkspaceRecord): string {
  return `${JSON.stringify(record)}\n`
}

function parseRecord(file: string): WorkspaceRecord | null {
  const text = readIfReachable(file)
  if (text === null) return null
  try {
    return recordSchema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    // Not JSON: not written by us.
    return null
  }
}

/** Removes what a crashed creation left, or git's data about a directory that is gone, and its record. */
export type RollBack = (path: string, record: WorkspaceRecord) => Promise<void>

/**
 * Clears what an earlier command left at the path, so that it blocks neither path nor branch. `isTaken`: this very process
 * may be creating something at a new session's path too.
 */
export async function clearAbandoned(path: string, rollBack: RollBack, isTaken = isBeingCreated): Promise<void> {
  const record = readRecord(path)
  if (record === null) return
  if (isTaken(record)) throw pathTaken(path, `process ${record.owner.split(':')[0]} is making a workspace there`)
  if (record.state === 'creating' || !isOccupied(path)) await rollBack(path, record)
}

/** From here on the path is ours, for other processes and after a crash. */
export function claimPath(path: string, record: WorkspaceRecord): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (isOccupied(path)) throw pathTaken(path, describeOccupant(path))
  if (!createRecord(path, record)) throw pathTaken(path, 'another process has just taken it')
}

export function newRecord(spec: WorkspaceSpec, repository: Repository, branchCreated: boolean): WorkspaceRecord {
  return {
    version: 1,
    sessionId: spec.sessionId,
    projectId: spec.projectId,
    repository: repository.commonDir,
    branch: spec.branch,
    branchCreated,
    ...(spec.fetchesNothing && { fetchesNothing: true }),
    state: 'creating',
    owner: formatIdentity(currentProcess()),
    spawnId: randomUUID(),
  }
}

/** For the manager: another session number will do. */
export function pathTaken(path: string, why: string): AoError {
  return new AoError('PATH_TAKEN', `The path ${path} is taken: ${why}`, { details: { path } })
}

function isOccupied(path: string): boolean {
  try {
    return readdirSync(path).length > 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    // A file, a broken link, an unreadable directory: in every case something is there.
    return true
  }
}

function describeOccupant(path: string): string {
  const location = locateGit(path)
  if (location?.linked) return `it is a worktree of ${location.commonDir}`
  if (location) return 'it is a repository of its own'
  return existsSync(path) ? 'it holds files that ao did not make' : 'it is a broken link'
}
