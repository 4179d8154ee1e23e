// What ao knows about a workspace it made, written down before the workspace exists: `{parent}/.{sessionId}.json`.
// Creating it is also how two processes, or two checkouts with the same project id, settle who gets the path.
// A copy inside the workspace's private git directory proves later that the directory is ours.
import { rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import * as z from 'zod/mini'
import { createFileExclusive, writeFileAtomic } from '../../lib/atomic-write.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import { parseIdentity, processState } from '../../lib/process/process-identity.ts'

const recordSchema = z.object({
  version: z.literal(1),
  sessionId: z.string(),
  projectId: z.string(),
  /** Common git directory of the project. */
  repository: z.string(),
  branch: z.string(),
  branchCreated: z.boolean(),
  /** Clones only: the branch's commit in the project when the clone last agreed with it. */
  base: z.optional(z.string()),
  /** creating: no agent ever ran in it, so what is there may be taken back. */
  state: z.enum(['creating', 'ready']),
  /** The process that makes it (process-identity.ts). */
  owner: z.string(),
  /** AO_SPAWN_ID of the git that makes it: it outlives a killed owner. */
  spawnId: z.string(),
})
export type WorkspaceRecord = z.infer<typeof recordSchema>

const MARKER = 'ao-session'

function recordFile(path: string): string {
  return join(dirname(path), `.${basename(path)}.json`)
}

/** false: someone else has the path. */
export function createRecord(path: string, record: WorkspaceRecord): boolean {
  return createFileExclusive(recordFile(path), serialize(record), { durable: false })
}

export function updateRecord(path: string, record: WorkspaceRecord): void {
  writeFileAtomic(recordFile(path), serialize(record), { durable: false })
}

export function removeRecord(path: string): void {
  rmSync(recordFile(path), { force: true })
}

/** null: none there, or one that cannot be understood and therefore proves nothing. */
export function readRecord(path: string): WorkspaceRecord | null {
  return parseRecord(recordFile(path))
}

export function writeMarker(gitDir: string, record: WorkspaceRecord): void {
  writeFileAtomic(join(gitDir, MARKER), serialize(record), { durable: false })
}

export function readMarker(gitDir: string): WorkspaceRecord | null {
  return parseRecord(join(gitDir, MARKER))
}

/** Is its creation still going on in a living process? */
export function isBeingCreated(record: WorkspaceRecord): boolean {
  if (record.state !== 'creating') return false
  const owner = parseIdentity(record.owner)
  return owner !== null && processState(owner) !== 'dead'
}

function serialize(record: WorkspaceRecord): string {
  return `${JSON.stringify(record)}\n`
}

function parseRecord(file: string): WorkspaceRecord | null {
  const text = readIfThere(file)
  if (text === null) return null
  try {
    return recordSchema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    // Not JSON: not written by us.
    return null
  }
}
