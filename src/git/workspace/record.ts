// What ao knows about a workspace it created, recorded before the workspace exists: `{parent}/.{sessionId}.json`. Creating
// it also settles which of two processes, or two checkouts with the same project id, gets the path. A copy inside the
// workspace's private git directory proves later that the directory is ours.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import * as z from 'zod/mini'
import { createFileExclusive, findHalfWritten, writeFileAtomic } from '../../lib/atomic-write.ts'
import { readIfReachable } from '../../lib/plain-file.ts'
import { currentProcess, formatIdentity, parseIdentity, processState } from '../../lib/process/process-identity.ts'
import { locateGit } from '../git-dir.ts'

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
export function createRecord(path: string, record: WorkspaceRecord): boolean {
  removeHalfWritten(path)
  return createFileExclusive(recordFile(path), serialize(record))
}

export function updateRecord(path: string, record: WorkspaceRecord): void {
  // After a power loss a workspace that an agent has used must not look like an unfinished one.
  writeFileAtomic(recordFile(path), serialize(record), { durable: record.state === 'ready' })
  removeHalfWritten(path)
}

export function removeRecord(path: string): void {
  rmSync(recordFile(path), { force: true })
  removeHalfWritten(path)
}

/** What a process left that was killed in the middle of writing this very record. */
function removeHalfWritten(path: string): void {
  const file = recordFile(path)
  if (!existsSync(dirname(file))) return
  const begin = join(dirname(file), `.${basename(file)}.`)
  for (const left of findHalfWritten(dirname(file))) if (left.startsWith(begin)) rmSync(left, { force: true })
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

/** Is it still being created by a live process? */
export function isBeingCreated(record: WorkspaceRecord): boolean {
  if (record.state !== 'creating') return false
  const owner = parseIdentity(record.owner)
  return owner !== null && processState(owner) !== 'dead'
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
