// The agent's own conversation at home, between two places: kept as it came and never opened here, because what a place sends
// is not believed. One file for each launch, so that nothing older than the last launch is continued.
import { createWriteStream, existsSync, linkSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { syncPath } from '../../../lib/atomic-write.ts'
import { openEmpty, readBytes } from '../../../lib/plain-file.ts'
import { type Far, statusOf } from '../reach/far.ts'
import { drainInto, readAll } from '../wire.ts'
import type { Keep } from './bring-home.ts'

const MAX_BYTES = 64 * 1024 * 1024
const MAX_REFUSAL_BYTES = 64 * 1024
const TIMEOUT_MS = 60_000
const STAMP = /^[0-9a-f]{32}$/

export const conversationFile = (stateDir: string, spawnId: string) => join(stateDir, `conversation-${spawnId}.gz`)

/** Keeps what home had when it fails: an older state of the conversation is better than none. */
export async function bringConversationHome(
  far: Far,
  { stateDir, spawnId }: { stateDir: string; spawnId: string },
  keep: Keep,
): Promise<void> {
  const stream = far.stream('GET /conversation', { query: { known: keep.state().conversation ?? '' } })
  const timer = setTimeout(() => stream.destroy(new Error('no answer in time')), TIMEOUT_MS)
  stream.once('close', () => clearTimeout(timer))
  let stamp = ''
  stream.on('response', (headers) => {
    stamp = String(headers['x-conversation'] ?? '')
  })
  const status = await statusOf(stream)
  // Without a stamp there is nothing new; a host of an older version does not know this question.
  if (status !== 200 || !STAMP.test(stamp)) return void (await readAll(stream, MAX_REFUSAL_BYTES))
  const file = conversationFile(stateDir, spawnId)
  await writeBounded(stream, `${file}.part`)
  renameSync(`${file}.part`, file)
  syncPath(stateDir)
  keep.save({ conversation: stamp })
}

/** As it comes: many lines share the memory of one process. Durable when it resolves. */
async function writeBounded(stream: Readable, file: string): Promise<void> {
  let size = 0
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_BYTES) stream.destroy(new Error(`more than ${MAX_BYTES} bytes arrived`))
  })
  try {
    await drainInto(stream, createWriteStream('', { fd: openEmpty(file) }))
    syncPath(file)
  } catch (error) {
    rmSync(file, { force: true })
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
    if (!kept.includes(join(stateDir, name))) rmSync(join(stateDir, name), { force: true })
  }
  if (from === null || !existsSync(conversationFile(stateDir, from))) return
  rmSync(conversationFile(stateDir, to), { force: true })
  linkSync(conversationFile(stateDir, from), conversationFile(stateDir, to))
}
