// Reads the file of an exported session and believes nothing of it: names, sizes and hashes are checked before anything is used.
import { basename } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { ATTACHMENT_LIMITS, ATTACHMENTS, isAttachments } from '../../contract/agh/attachment.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import type { SessionEvent } from '../../contract/events.ts'
import { hashOfKept } from '../../core/message/attachment.ts'
import { EXPORT_LIMITS, type Manifest, parseManifest } from '../../core/session/export-manifest.ts'
import { describeEvent } from '../../core/status/describe-event.ts'
import { readTar, type TarFile } from '../../core/text/tar.ts'
import { readBytes } from '../../lib/plain-file.ts'
import { sha256Of } from './export-session.ts'

export interface ReadExport {
  manifest: Manifest
  files: ReadonlyMap<string, Uint8Array>
}

export function readExport(file: string): ReadExport {
  const bytes = readBytes(file, { maxBytes: EXPORT_LIMITS.bytes })
  try {
    return unpack(bytes)
  } catch (error) {
    throw new AoError('ARCHIVE_INVALID', `${file} is not a session that can be imported: ${errorText(error)}`, {
      details: { file },
      cause: error,
    })
  }
}

/** Throws an Error that says what is wrong with it. */
function unpack(bytes: Uint8Array): ReadExport {
  const [first, ...files] = readTar(gunzip(bytes), EXPORT_LIMITS)
  if (first?.name !== 'manifest.json') throw new Error('it does not begin with its manifest')
  const manifest = parseManifest(textOf(first.bytes))
  const byName = new Map(files.map((one) => [one.name, one.bytes]))
  for (const name of Object.keys(manifest.files)) if (!byName.has(name)) throw new Error(`its file ${name} is missing`)
  for (const one of files) checkFile(manifest, one)
  if (!byName.has('record') || !byName.has('history.jsonl')) throw new Error('it has no record or no history')
  return { manifest, files: byName }
}

function checkFile(manifest: Manifest, { name, bytes }: TarFile): void {
  const declared = Object.hasOwn(manifest.files, name) ? manifest.files[name] : undefined
  if (!declared) throw new Error(`its manifest does not know ${name}`)
  if (declared.bytes !== bytes.length || declared.sha256 !== sha256Of(bytes))
    throw new Error(`${name} was changed or damaged`)
  if (!name.startsWith(`${ATTACHMENTS}/`)) return
  if (bytes.length > ATTACHMENT_LIMITS.bytes || hashOfKept(basename(name)) !== declared.sha256)
    throw new Error(`${name} is not the file that its name says`)
}

function gunzip(bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: EXPORT_LIMITS.bytes })
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw new Error(
      isTooLarge ? `it unpacks to more than ${EXPORT_LIMITS.bytes} bytes` : 'it is not compressed with gzip',
      {
        cause: error,
      },
    )
  }
}

export function textOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString('utf8')
}

/** Lines that are not events, or not as they should be, are left out; so is how another machine reached its agents. */
export function readEvents(history: string): SessionEvent[] {
  return history.split('\n').flatMap((line) => {
    const event = parseLine(line)
    return event && event.type !== 'runtime.started' && isSound(event) ? [event] : []
  })
}

function parseLine(line: string): SessionEvent | null {
  try {
    return line === '' ? null : (JSON.parse(line) as SessionEvent)
  } catch {
    // Half a line: there is nothing in it.
    return null
  }
}

/** Whoever reads the history later relies on what is checked here. */
function isSound(event: SessionEvent): boolean {
  try {
    if (typeof event.type !== 'string' || typeof event.at !== 'string') return false
    return !Number.isNaN(Date.parse(event.at)) && hasItsFields(event) && typeof describeEvent(event) === 'string'
  } catch {
    // It cannot even be described.
    return false
  }
}

function hasItsFields(event: SessionEvent): boolean {
  switch (event.type) {
    case 'usage':
      return Number.isFinite(event.tokens) && event.tokens >= 0
    case 'status.changed':
      return Array.isArray(event.evidence)
    case 'message.queued':
      return (
        typeof event.messageId === 'string' && typeof event.text === 'string' && isAttachments(event.attachments ?? [])
      )
    case 'message.edited':
      return typeof event.messageId === 'string' && typeof event.text === 'string'
    default:
      return true
  }
}
