// Kept files of one session for another: its fork, or itself on another machine. Only those that are still what was sent.
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ATTACHMENT_LIMITS, type Attachment } from '../contract/agh/attachment.ts'
import { hashOfKept, keptName } from '../core/message/attachment.ts'
import { writeFileAtomic } from '../lib/atomic-write.ts'
import { filesIn, readBytes } from '../lib/plain-file.ts'
import { findKept } from './attachments.ts'

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** All that are still what was sent, by their names there. */
export function* listKept(directory: string, most: number): Generator<{ name: string; bytes: Buffer }> {
  for (const name of filesIn(directory).slice(0, most)) {
    const sha256 = hashOfKept(name)
    if (sha256 === null) continue
    const bytes = readBytes(join(directory, name), { maxBytes: ATTACHMENT_LIMITS.bytes, noFollow: true })
    if (hashOf(bytes) === sha256) yield { name, bytes }
  }
}

/** Those of another session that are still there, kept for this one as well: on disk when it returns. */
export function copyKept(from: string, to: string, attachments: readonly Attachment[]): Attachment[] {
  return attachments.filter((attachment) => {
    const bytes = findKept(from, attachment.sha256)
    if (bytes === null || hashOf(bytes) !== attachment.sha256) return false
    mkdirSync(to, { recursive: true, mode: 0o700 })
    writeFileAtomic(join(to, keptName(attachment)), bytes)
    return true
  })
}
