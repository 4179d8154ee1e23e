// What a file that goes along with a message is, judged by its bytes; what it is called; and how a message names it. Pure.
import {
  ATTACHMENT_LIMITS,
  type Attachment,
  type AttachmentType,
  type GivenFile,
} from '../../contract/agh/attachment.ts'
import { AoError } from '../../contract/errors.ts'
import { sniffImage } from '../board/sniff-image.ts'
import { showHidden } from '../text/show-hidden.ts'

/** From the root of the workspace; `.ao/` is excluded from git. */
export const ATTACHMENT_DIRECTORY = ['.ao', 'attachments'] as const

const EXTENSIONS: Record<AttachmentType, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'application/octet-stream': 'bin',
}

/** Throws ATTACHMENT_REFUSED: all of them go along, or the message is not sent. `hash`: SHA-256 in hex. */
export function describeFiles(files: readonly GivenFile[], hash: (bytes: Uint8Array) => string): Attachment[] {
  const { files: most, totalBytes } = ATTACHMENT_LIMITS
  if (files.length > most) throw refused(`A message takes at most ${most} files, not ${files.length}`)
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0)
  if (total > totalBytes) throw refused(`The files have ${total} bytes; a message takes at most ${totalBytes}`)
  return files.map((file) => describeFile(file, hash))
}

function describeFile({ name, bytes, path }: GivenFile, hash: (bytes: Uint8Array) => string): Attachment {
  const shown = showHidden(name.slice(0, 100))
  if (bytes.length === 0) throw refused(`${shown} is empty`)
  if (bytes.length > ATTACHMENT_LIMITS.bytes) {
    throw refused(`${shown} has ${bytes.length} bytes; a file may have ${ATTACHMENT_LIMITS.bytes}`)
  }
  if (isProgram(bytes)) throw refused(`${shown} is a program`)
  const type = sniffType(bytes)
  const about = { sha256: hash(bytes), name: plainName(name, type), type, size: bytes.length }
  return path === undefined ? about : { ...about, path }
}

export function sniffType(bytes: Uint8Array): AttachmentType {
  const image = sniffImage(bytes)
  if (image !== null && image !== 'image/svg+xml') return image
  if (startsWith(bytes, [0x25, 0x50, 0x44, 0x46, 0x2d])) return 'application/pdf'
  return isText(bytes) ? 'text/plain' : 'application/octet-stream'
}

/** ELF, Windows, Mach-O in its three forms (one is Java's as well), WebAssembly, Dalvik. A script is text, and is never made executable. */
const PROGRAMS = [
  [0x7f, 0x45, 0x4c, 0x46],
  [0x4d, 0x5a],
  [0xca, 0xfe, 0xba, 0xbe],
  [0xcf, 0xfa, 0xed, 0xfe],
  [0xce, 0xfa, 0xed, 0xfe],
  [0xfe, 0xed, 0xfa, 0xcf],
  [0xfe, 0xed, 0xfa, 0xce],
  [0x00, 0x61, 0x73, 0x6d],
  [0x64, 0x65, 0x78, 0x0a],
]

function isProgram(bytes: Uint8Array): boolean {
  return PROGRAMS.some((signature) => startsWith(bytes, signature)) && !isText(bytes)
}

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, index) => bytes[index] === byte)
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    // Some other encoding, or no text at all.
    return false
  }
}

const LONGEST_NAME = 60
/** Any other character would mean something to a shell, a path, a terminal or the eye of a reader. */
const ODD = /[^\p{L}\p{N}._-]+/gu

/** The last part of the given name, with the ending that its bytes have. */
export function plainName(given: string, type: AttachmentType): string {
  const last = given.normalize('NFC').split(/[\\/]/).at(-1) ?? ''
  const plain = last
    .replace(ODD, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[-.]+|[-.]+$/g, '')
  const [, stem = '', ending = ''] = /^(.*?)(?:\.([A-Za-z0-9]{1,10}))?$/u.exec(plain) ?? []
  const right = EXTENSIONS[type]
  const kept = (type === 'text/plain' || type === 'application/octet-stream') && ending !== '' ? ending : right
  const isSame = ending.toLowerCase() === right || (right === 'jpg' && ending.toLowerCase() === 'jpeg')
  return `${[...(stem || 'file')].slice(0, LONGEST_NAME).join('')}.${isSame ? ending : kept}`
}

/** Under which its bytes are kept. */
export function keptName({ sha256, type }: Pick<Attachment, 'sha256' | 'type'>): string {
  return `${sha256}.${EXTENSIONS[type]}`
}

const KEPT_NAME = /^([0-9a-f]{64})\.(?:png|jpg|gif|webp|pdf|txt|bin)$/

/** null: not a file of ours. */
export function hashOfKept(name: string): string | null {
  return KEPT_NAME.exec(name)?.[1] ?? null
}

/** In the workspace: two files of one name have two hashes. */
export function workspaceName({ sha256, name }: Pick<Attachment, 'sha256' | 'name'>): string {
  return `${sha256.slice(0, 8)}-${name}`
}

export function inWorkspace(attachment: Attachment): Attachment {
  return { ...attachment, path: [...ATTACHMENT_DIRECTORY, workspaceName(attachment)].join('/') }
}

/** How an agent is told of a file, where its row says nothing else. */
const NAMED_PLAINLY = '{path}'

/**
 * The message with a line for each file that goes along, at its end: it reads the same for every agent, in every history. `mention`: as
 * the agent's row says.
 */
export function nameAttachments(text: string, attachments: readonly Attachment[], mention = NAMED_PLAINLY): string {
  if (attachments.length === 0) return text
  const lines = attachments.map((one) => {
    const path = mention.replace('{path}', one.path ?? one.name)
    return `- ${path} (${one.type}, ${one.size} bytes)`
  })
  return `${text.trimEnd()}${text.trim() === '' ? '' : '\n\n'}${aboutFiles(attachments.length)}\n${lines.join('\n')}`
}

function aboutFiles(count: number): string {
  return count === 1 ? 'A file goes with this message; read it first:' : 'Files go with this message; read them first:'
}

export function refused(message: string): AoError {
  return new AoError('ATTACHMENT_REFUSED', `${message}; the message was not sent`)
}
