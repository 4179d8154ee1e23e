// Names of rescues: `refs/ao/rescue/{sessionId}/{n}`. A second ref `refs/ao/settled/…` says that one was already restored,
// or belongs to an earlier session of the same name: restoring it again would undo later work.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isSafeName } from '../../contract/ids.ts'
import { MAX_FOREIGN_BYTES, readPlainText } from '../../lib/plain-file.ts'
import { gitOn, type Repository } from '../repository.ts'

export interface StoredRescue {
  ref: string
  commit: string
  number: number
  settled: boolean
}

/** All of one session, oldest first. */
export async function listRescues(repository: Repository, sessionId: string): Promise<StoredRescue[]> {
  if (!isSafeName(sessionId)) throw new Error(`Not a session id: ${sessionId}`)
  const patterns = [`refs/ao/rescue/${sessionId}/`, `refs/ao/settled/${sessionId}/`]
  const args = ['for-each-ref', '--format=%(refname) %(objectname)', ...patterns]
  const listed = await gitOn(repository, args, { read: true })
  const found = [...listed.matchAll(/^(refs\/ao\/(rescue|settled)\/[^/\s]+\/(\d+)) ([0-9a-f]+)$/gm)]
  const settled = new Set(found.filter((one) => one[2] === 'settled').map((one) => one[3]))
  return found
    .filter((one) => one[2] === 'rescue')
    .map((one) => ({ ref: one[1]!, commit: one[4]!, number: Number(one[3]), settled: settled.has(one[3]) }))
    .sort((a, b) => a.number - b.number)
}

/** The one to restore, or null. */
export async function openRescue(repository: Repository, sessionId: string): Promise<StoredRescue | null> {
  return (await listRescues(repository, sessionId)).findLast((rescue) => !rescue.settled) ?? null
}

export function rescueRef(sessionId: string, number: number): string {
  return `refs/ao/rescue/${sessionId}/${number}`
}

/** Creates the ref; fails when it exists, so that no rescue can replace another. */
export async function createRescueRef(repository: Repository, ref: string, commit: string): Promise<void> {
  await gitOn(repository, ['update-ref', ref, commit, ''])
}

async function settleRescue(repository: Repository, sessionId: string, rescue: StoredRescue): Promise<void> {
  await gitOn(repository, ['update-ref', `refs/ao/settled/${sessionId}/${rescue.number}`, rescue.commit])
}

/** Restored: this one and all before it are settled. */
export async function settleUpTo(repository: Repository, sessionId: string, rescue: StoredRescue): Promise<void> {
  for (const one of await listRescues(repository, sessionId)) {
    if (!one.settled && one.number <= rescue.number) await settleRescue(repository, sessionId, one)
  }
}

/** A new session may have the id of one whose records are gone; the other's work must never appear in it. */
export async function settleForNewSession(repository: Repository, sessionId: string): Promise<void> {
  if (!mayHaveRescues(repository, sessionId)) return
  const open = (await listRescues(repository, sessionId)).filter((rescue) => !rescue.settled)
  for (const rescue of open) await settleRescue(repository, sessionId, rescue)
}

/** From the files, because there are nearly always none. */
function mayHaveRescues({ commonDir }: Repository, sessionId: string): boolean {
  const loose = join(commonDir, 'refs', 'ao', 'rescue', sessionId)
  if (existsSync(loose) || existsSync(join(commonDir, 'reftable'))) return true
  const packed = join(commonDir, 'packed-refs')
  return (
    existsSync(packed) &&
    readPlainText(packed, { maxBytes: MAX_FOREIGN_BYTES }).includes(` refs/ao/rescue/${sessionId}/`)
  )
}
