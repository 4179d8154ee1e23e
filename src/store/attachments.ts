// Keeps the files that go along with messages, for ao and agh alike: in a private directory of the session, each under the hash of its
// bytes. A file is durable before the message that names it; one that no message came to name is removed later.
import { createHash } from 'node:crypto'
import { mkdirSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ATTACHMENT_LIMITS, type Attachment, type GivenFile, type SentFile } from '../contract/agh/attachment.ts'
import { AoError } from '../contract/errors.ts'
import { describeFiles, hashOfKept, keptName, refused } from '../core/message/attachment.ts'
import { findHalfWritten, writeFileAtomic } from '../lib/atomic-write.ts'
import { filesIn, readBytes } from '../lib/plain-file.ts'
import { removeFile } from '../lib/remove.ts'

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** As they came to a server. */
export function givenFiles(files: readonly SentFile[]): GivenFile[] {
  return files.map(({ data, ...file }) => ({ ...file, bytes: Buffer.from(data, 'base64') }))
}

/** What they are; nothing is written. Throws ATTACHMENT_REFUSED. */
export function examineFiles(files: readonly GivenFile[]): Attachment[] {
  return describeFiles(files, hash)
}

/** On disk when it returns: all of them, or it throws. */
export function keepFiles(directory: string, files: readonly GivenFile[]): Attachment[] {
  const attachments = examineFiles(files)
  if (attachments.length === 0) return []
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  for (const [index, attachment] of attachments.entries()) {
    const path = join(directory, keptName(attachment))
    // Written anew rather than believed: then it is as young as the message that is about to name it.
    writeFileAtomic(path, Buffer.from(files[index]!.bytes), { isForeign: true })
  }
  return attachments
}

/** Throws when they are gone, or are no longer what was sent. */
export function readKept(directory: string, attachment: Attachment): Buffer {
  const path = join(directory, keptName(attachment))
  let bytes: Buffer
  try {
    bytes = readBytes(path, { maxBytes: ATTACHMENT_LIMITS.bytes, noFollow: true })
  } catch (cause) {
    throw new AoError('MESSAGE_REFUSED', `The file ${attachment.name} that goes with the message cannot be read`, {
      hint: 'Send the message again with its file',
      details: { path },
      cause,
    })
  }
  if (hash(bytes) === attachment.sha256) return bytes
  throw refused(`${path} is no longer the file that was sent`)
}

/** By its hash alone; null: there is none. */
export function findKept(directory: string, sha256: string): Buffer | null {
  const name = filesIn(directory).find((one) => hashOfKept(one) === sha256)
  return name === undefined
    ? null
    : readBytes(join(directory, name), { maxBytes: ATTACHMENT_LIMITS.bytes, noFollow: true })
}

/** A message is recorded within moments after its files. */
const ORPHANED_MS = 60 * 60 * 1000

/** Files that nothing names, and that no message is about to name. `named` is asked only if there is a candidate. */
export function unnamedFiles(directory: string, now: number, named: () => ReadonlySet<string>) {
  const old = filesIn(directory).flatMap((name) => {
    const path = join(directory, name)
    const sha256 = hashOfKept(name)
    const stats = sha256 === null ? undefined : statSync(path, { throwIfNoEntry: false })
    return stats && now - stats.mtimeMs > ORPHANED_MS ? [{ path, sha256: sha256!, bytes: stats.size }] : []
  })
  const used = old.length === 0 ? new Set<string>() : named()
  return old.filter(({ sha256 }) => !used.has(sha256))
}

/** Removes what killed senders left: files that nothing names, and half-written ones. */
export function sweepFiles(directory: string, now: number, named: () => ReadonlySet<string>): void {
  for (const { path } of unnamedFiles(directory, now, named)) removeFile(path)
  if (statSync(directory, { throwIfNoEntry: false })) for (const half of findHalfWritten(directory)) unlinkSync(half)
}
