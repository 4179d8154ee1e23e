// The agent's own conversation at home, between two places: kept as it came and never opened here, because what a place sends
// is not trusted. One file for each launch, so that nothing older than the last launch is continued.
import { createWriteStream, existsSync, linkSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import type { ClientHttp2Stream } from 'node:http2'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { hostDirectory } from '../../../host/files.ts'
import { leftoverFile } from '../../../host/spool.ts'
import { syncPath } from '../../../lib/atomic-write.ts'
import { openEmpty, readBytes } from '../../../lib/plain-file.ts'
import { removeFile } from '../../../lib/remove.ts'
import type { LaunchKey } from '../home/line-files.ts'
import { type Far, statusOf } from '../reach/far.ts'
import { drainInto, readAll } from '../wire.ts'
import type { Keep } from './bring-home.ts'

/** More than a host keeps of an agent's output. */
const MAX_BYTES = 80 * 1024 * 1024
const MAX_REFUSAL_BYTES = 64 * 1024
const SILENT_MS = 60_000
const STAMP = /^[0-9a-f]{32}$/

export const conversationFile = (stateDir: string, spawnId: string) => join(stateDir, `conversation-${spawnId}.gz`)

/** Keeps what home had when it fails: an older state of the conversation is better than none. */
export async function bringConversationHome(far: Far, { stateDir, spawnId }: LaunchKey, keep: Keep): Promise<void> {
  const known = keep.state().conversation ?? ''
  const { stream, header } = await fetchStream(far.stream('GET /conversation', { query: { known } }), 'x-conversation')
  // Without a stamp there is nothing new.
  if (header === null || !STAMP.test(header)) return void (await readAll(stream, MAX_REFUSAL_BYTES))
  const isWhole = await writeBounded(stream, conversationFile(stateDir, spawnId))
  if (!isWhole) throw new Error(`the conversation has more than ${MAX_BYTES} bytes`)
  keep.save({ conversation: header })
}

/**
 * Output of an agent that has ended, for a reader that comes too late to ask its host. A place that sends more than a host keeps is
 * not waited for.
 */
export async function bringOutputHome(far: Far, { stateDir, spawnId }: LaunchKey): Promise<void> {
  const { stream, header } = await fetchStream(far.stream('GET /output', {}), 'x-offset')
  const from = Number(header ?? Number.NaN)
  if (!(Number.isSafeInteger(from) && from >= 0)) return void (await readAll(stream, MAX_REFUSAL_BYTES))
  const directory = hostDirectory(stateDir, spawnId)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  await writeBounded(stream, leftoverFile(directory, from))
}

/** A host of an older version does not know the question: it has no such header. */
async function fetchStream(
  stream: ClientHttp2Stream,
  name: string,
): Promise<{ stream: Readable; header: string | null }> {
  stream.setTimeout(SILENT_MS, () => stream.destroy(new Error('no answer in time')))
  let header: string | null = null
  stream.on('response', (headers) => {
    header = headers[name] === undefined ? null : String(headers[name])
  })
  const status = await statusOf(stream)
  return { stream, header: status === 200 ? header : null }
}

/** As it comes: many lines share the memory of one process. Durable when it resolves; false: it is too much, and not kept. */
async function writeBounded(stream: Readable, file: string): Promise<boolean> {
  const part = `${file}.part`
  let size = 0
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_BYTES) stream.destroy(new Error(`more than ${MAX_BYTES} bytes arrived`))
  })
  try {
    await drainInto(stream, createWriteStream('', { fd: openEmpty(part) }))
    syncPath(part)
    renameSync(part, file)
    syncPath(dirname(file))
    return true
  } catch (error) {
    removeFile(part)
    if (size > MAX_BYTES) return false
    throw error
  }
}

/** One that cannot be read is not sent: the agent starts afresh, which is better than not at all. */
export async function sendConversation(far: Far, stateDir: string, ended: string): Promise<void> {
  let bytes: Buffer
  try {
    bytes = readBytes(conversationFile(stateDir, ended), { maxBytes: MAX_BYTES, noFollow: true })
  } catch {
    return
  }
  await far.send('POST /conversation', Readable.from([bytes]))
}

/** The new launch has what the ended one had, before it says anything itself. Those before the ended one are of no use. */
export function inheritConversation(stateDir: string, { from, to }: { from: string | null; to: string }): void {
  const kept = [from, to].map((spawnId) => spawnId !== null && conversationFile(stateDir, spawnId))
  for (const name of readdirSync(stateDir).filter((one) => /^conversation-.+\.gz$/.test(one))) {
    if (!kept.includes(join(stateDir, name))) removeFile(join(stateDir, name))
  }
  if (from === null || !existsSync(conversationFile(stateDir, from))) return
  removeFile(conversationFile(stateDir, to))
  linkSync(conversationFile(stateDir, from), conversationFile(stateDir, to))
}
