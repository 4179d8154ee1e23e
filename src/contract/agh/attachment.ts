// A file that goes along with a prompt or a message: the one shape of it, in records, events, APIs and on the page. Its bytes are
// kept under their hash; everything else is said about them.

/** By their first bytes. Everything that is text, SVG and HTML included, is only text. */
export const ATTACHMENT_TYPES = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
  'text/plain',
  'application/octet-stream',
] as const
export type AttachmentType = (typeof ATTACHMENT_TYPES)[number]

export const ATTACHMENT_LIMITS = {
  /** In one message. */
  files: 8,
  /** Of one file, and of all files of a message. In base64 with its message it stays below one line to an agent. */
  bytes: 8 * 1024 * 1024,
  totalBytes: 12 * 1024 * 1024,
} as const

/** The directory of a session that keeps them. */
export const ATTACHMENTS = 'attachments'

/** What a request with files may have: they are in base64. */
export const MOST_REQUEST_BYTES = 24 * 1024 * 1024

export interface Attachment {
  /** Of its bytes, in hex. */
  sha256: string
  /** Harmless in a path, on a screen and in a prompt. */
  name: string
  type: AttachmentType
  /** In bytes. */
  size: number
  /** From the root of its workspace, where its agent finds it; absent: it is not there. */
  path?: string | undefined
}

export function isAttachments(value: unknown): value is Attachment[] {
  return Array.isArray(value) && value.every(isAttachment)
}

/** Without a library: every list of sessions reads records. */
function isAttachment(value: unknown): value is Attachment {
  const { sha256, name, type, size, path } = (value ?? {}) as Record<string, unknown>
  const isKind = ATTACHMENT_TYPES.some((one) => one === type)
  const isHash = typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256)
  const isPlaced = path === undefined || (typeof path === 'string' && !path.includes('..'))
  const isName = typeof name === 'string' && !/[\\/\p{C}]/u.test(name)
  return isHash && isName && isKind && Number.isSafeInteger(size) && isPlaced
}

/** As it is sent to a server, in base64: `name` is whatever its sender calls it. */
export interface SentFile {
  name: string
  data: string
  path?: string | undefined
}

/** The same in memory. */
export interface GivenFile {
  name: string
  bytes: Uint8Array
  path?: string | undefined
}

export function isPicture({ type }: Pick<Attachment, 'type'>): boolean {
  return type.startsWith('image/')
}
