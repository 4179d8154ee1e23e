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

interface KeptFiles {
  kept: Array<{ name: string; bytes: Buffer }>
  /** How many are not among them. */
  leftOut: number
}

/** Those that are still what was sent, by their names there, as far as there is room. */
export function readKept(directory: string, room: { files: number; bytes: number }): KeptFiles {
  const names = filesIn(directory).filter((name) => hashOfKept(name) !== null)
  const kept: KeptFiles['kept'] = []
  let { bytes: left } = room
  for (const name of names) {
    if (kept.length >= room.files) break
    const bytes = readBytes(join(directory, name), { maxBytes: ATTACHMENT_LIMITS.bytes, noFollow: true })
    if (hashOf(bytes) !== hashOfKept(name)) continue
    if (bytes.length > left) break
    kept.push({ name, bytes })
    left -= bytes.length
  }
  return { kept, leftOut: names.length - kept.length }
}

/** Those of another session that are still there, kept for this one as well: on disk when it returns. */
export function copyKept(from: string, to: string, attachments: readonly Attachment[]): Attachment[] {
  return attachments.filter((attachment) => {
    const bytes = findKept(from, attachment.sha256)
    if (bytes === null || hashOf(bytes) !== attachment.sha256) return false
    mkdirSync(to, { recursive: true, mode: 0o700 })
    writeFileAtomic(join(to, keptName(attachment)), bytes, { isForeign: true })
    return true
  })
}
