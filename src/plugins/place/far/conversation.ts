// The agent's own conversation leaves its place, and comes to another one: a line of JSON that names the files, then their
// bytes, compressed. Home keeps it unread. Streams, because a host that runs out of memory takes its agent with it.
import { createHash } from 'node:crypto'
import { closeSync, createWriteStream, existsSync, fstatSync, mkdirSync, utimesSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { systemClock } from '../../../lib/clock.ts'
import { openEmpty, openPlain, readPieces, readRange } from '../../../lib/plain-file.ts'
import type { FarAgent } from './agents.ts'

const MAX_FILES = 500
const MAX_BYTES = 256 * 1024 * 1024

interface Packed {
  name: string
  size: number
  /** When it was last changed, in milliseconds. */
  at: number
}

interface Contents {
  agent: string
  files: Packed[]
}

export interface Conversation extends Contents {
  /** Changes with the files. */
  stamp: string
  paths: Record<string, string>
}

/** null: it has none, or one that stays here because it is too large. */
export async function findConversation({ agent, session, readOptions }: FarAgent): Promise<Conversation | null> {
  const paths = (await agent.conversation?.files(session, readOptions(systemClock.now()))) ?? {}
  const files = Object.entries(paths).flatMap(([name, path]) => packed(name, path) ?? [])
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  if (files.length === 0 || files.length > MAX_FILES || bytes > MAX_BYTES) return null
  const stamp = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 32)
  return { agent: agent.name, files, stamp, paths }
}

function packed(name: string, path: string): Packed | null {
  if (!existsSync(path)) return null
  const fd = openPlain(path)
  try {
    const { size, mtimeMs } = fstatSync(fd)
    return { name, size: path.endsWith('.jsonl') ? wholeLines(fd, size) : size, at: Math.floor(mtimeMs) }
  } finally {
    closeSync(fd)
  }
}

const LINE_BYTES = 4 * 1024 * 1024

/** The last line may be half written. */
function wholeLines(fd: number, size: number): number {
  const start = Math.max(0, size - LINE_BYTES)
  const last = readRange(fd, start, size).lastIndexOf(0x0a)
  return last === -1 ? size : start + last + 1
}

export function sendConversation({ agent, files, paths }: Conversation, to: Writable): Promise<void> {
  function* bytes(): Generator<Buffer> {
    const contents: Contents = { agent, files }
    yield Buffer.from(`${JSON.stringify(contents)}\n`)
    for (const { name, size } of files) {
      let sent = 0
      for (const piece of readPieces(paths[name]!, size)) {
        sent += piece.length
        yield piece
      }
      if (sent !== size) throw new Error(`${name} became shorter while it was read`)
    }
  }
  return pipeline(Readable.from(bytes()), createGzip(), to)
}

/** Puts it where this place's agent looks for it. Throws when it is not whole or not this agent's. */
export async function adoptConversation({ agent, launch }: FarAgent, file: string): Promise<void> {
  const source = createGunzip()
  const read = pipeline(Readable.from(readPieces(file)), source)
  // Whoever reads the pieces sees the failure there.
  read.catch(() => undefined)
  const reader = readBytewise(source)
  const { agent: from, files } = parseContents(await reader.line())
  if (from !== agent.name) throw new Error(`it is a conversation of ${from}`)
  const places =
    (await agent.conversation?.adopt(
      files.map(({ name }) => name),
      launch,
    )) ?? {}
  for (const { name, size, at } of files) {
    const path = places[name]
    const target = path === undefined || !isAbsolute(path) ? null : path
    if (target !== null) mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    await reader.copy(size, target === null ? null : createWriteStream('', { fd: openEmpty(target) }))
    if (target !== null) utimesSync(target, new Date(), new Date(at))
  }
}

function parseContents(line: string): Contents {
  const contents = JSON.parse(line) as Contents
  const isSound = (one: Packed) =>
    typeof one?.name === 'string' && Number.isSafeInteger(one.size) && one.size >= 0 && Number.isFinite(one.at)
  if (typeof contents?.agent === 'string' && Array.isArray(contents.files) && contents.files.length <= MAX_FILES) {
    const bytes = contents.files.reduce((sum, { size }) => sum + size, 0)
    if (contents.files.every(isSound) && bytes <= MAX_BYTES) return contents
  }
  throw new Error('it is not the conversation of an agent')
}

const MAX_HEAD_BYTES = 1024 * 1024

interface Bytewise {
  line(): Promise<string>
  /** null: they are passed over. */
  copy(bytes: number, to: Writable | null): Promise<void>
}

function readBytewise(source: Readable): Bytewise {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let rest: Buffer = Buffer.alloc(0)
  const more = async () => {
    const { value, done } = await chunks.next()
    if (done) throw new Error('it is cut off')
    rest = rest.length === 0 ? value : Buffer.concat([rest, value])
  }
  return {
    async line() {
      while (!rest.includes(0x0a)) {
        if (rest.length > MAX_HEAD_BYTES) throw new Error('it is not the conversation of an agent')
        await more()
      }
      const end = rest.indexOf(0x0a)
      const text = rest.toString('utf8', 0, end)
      rest = rest.subarray(end + 1)
      return text
    },
    async copy(bytes, to) {
      async function* piece(): AsyncGenerator<Buffer> {
        for (let left = bytes; left > 0; ) {
          if (rest.length === 0) await more()
          const part = rest.subarray(0, left)
          rest = rest.subarray(part.length)
          left -= part.length
          yield part
        }
      }
      if (to) return pipeline(Readable.from(piece()), to)
      for await (const _part of piece());
    },
  }
}
