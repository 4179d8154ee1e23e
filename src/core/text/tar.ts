// The tar of an exported session: a few plain files with names from a short list. Writing makes an ordinary ustar archive that
// every tar can list; reading accepts nothing but what writing makes. Pure.

export interface TarFile {
  name: string
  bytes: Uint8Array
  /** 0600 without one. A name that ends with a slash is a directory. */
  mode?: number | undefined
}

const BLOCK = 512
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/** Everything that an export may hold. Nothing of it is absolute or leads upwards. */
const NAMES =
  /^(?:manifest\.json|record|history\.jsonl|prompt\.md|transcript\.json|work\.bundle|terminal\/\d{6,12}\.cast|attachments\/[0-9a-f]{64}\.[a-z]{3,4})$/

export function isExportName(name: string): boolean {
  return NAMES.test(name)
}

export function writeTar(files: readonly TarFile[]): Uint8Array<ArrayBuffer>[] {
  const blocks = files.flatMap(({ name, bytes, mode }) => [
    headerOf(name, bytes.length, mode),
    new Uint8Array(bytes),
    new Uint8Array(paddingOf(bytes.length)),
  ])
  return [...blocks, new Uint8Array(2 * BLOCK)]
}

function headerOf(name: string, size: number, mode = 0o600): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(BLOCK)
  const put = (text: string, at: number) => header.set(encoder.encode(text), at)
  put(name, 0)
  put(`${mode.toString(8).padStart(7, '0')}\0`, 100)
  put('0000000\0', 108)
  put('0000000\0', 116)
  put(`${size.toString(8).padStart(11, '0')}\0`, 124)
  put('00000000000\0', 136)
  put(name.endsWith('/') ? '5' : '0', 156)
  put('ustar\0', 257)
  put('00', 263)
  put(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

export interface TarLimits {
  files: number
  bytes: number
}

/** Throws an Error that says what is wrong with it. */
export function readTar(tar: Uint8Array, limits: TarLimits): TarFile[] {
  const files: TarFile[] = []
  const seen = new Set<string>()
  let at = 0
  while (!isZero(tar.subarray(at, at + BLOCK))) {
    const { name, size } = readHeader(tar.subarray(at, at + BLOCK))
    if (seen.has(name)) throw new Error(`it has two files called ${name}`)
    if (files.length >= limits.files) throw new Error(`it has more than ${limits.files} files`)
    if (size > limits.bytes) throw new Error(`${name} is larger than ${limits.bytes} bytes`)
    at += BLOCK
    if (at + size > tar.length) throw new Error('it ends in the middle of a file')
    files.push({ name, bytes: tar.subarray(at, at + size) })
    seen.add(name)
    at += size + paddingOf(size)
  }
  if (at + BLOCK > tar.length) throw new Error('it has no end')
  if (!isZero(tar.subarray(at))) throw new Error('something follows its end')
  return files
}

function readHeader(header: Uint8Array): { name: string; size: number } {
  if (header.length < BLOCK) throw new Error('it ends in the middle of a file')
  const sum = parseOctal(header.subarray(148, 156))
  if (sum !== sumOf(header)) throw new Error('one of its headers is damaged')
  const name = textOf(header.subarray(0, 100))
  const kind = header[156]
  // Links, devices, directories and extensions of the format: none of them is needed.
  if (kind !== 0x30 || header[345] !== 0) throw new Error(`${JSON.stringify(name)} is not a plain file`)
  if (!isExportName(name)) throw new Error(`it has a file called ${JSON.stringify(name)}, which no export has`)
  const size = parseOctal(header.subarray(124, 136))
  if (size === null) throw new Error(`${name} has no size`)
  return { name, size }
}

/** Of all bytes, with those of the sum itself as blanks. */
function sumOf(header: Uint8Array): number {
  let sum = 0
  for (let index = 0; index < BLOCK; index++) sum += index >= 148 && index < 156 ? 0x20 : (header[index] ?? 0)
  return sum
}

function parseOctal(bytes: Uint8Array): number | null {
  const text = textOf(bytes).trim()
  return /^[0-7]{1,11}$/.test(text) ? Number.parseInt(text, 8) : null
}

function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0)
  try {
    return decoder.decode(end === -1 ? bytes : bytes.subarray(0, end))
  } catch {
    // Not text, so not a name or number of ours.
    return '\ufffd'
  }
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0)
}

function paddingOf(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK
}
