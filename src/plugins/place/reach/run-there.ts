// One program in a place, run to its end.
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Channel } from '../../../slots/place.ts'
import { readAll } from '../wire.ts'

export interface ThereResult {
  ok: boolean
  exitCode: number | null
  stdout: string
  stderr: string
}

/** Never rejects. */
export async function runThere(
  channel: Channel,
  { input, timeoutMs = 30_000 }: { input?: Readable; timeoutMs?: number } = {},
): Promise<ThereResult> {
  let late = false
  const timer = setTimeout(() => {
    late = true
    channel.close()
  }, timeoutMs)
  // Its exit code says what happened to a pipe that it closed.
  channel.stdin.on('error', () => undefined)
  if (input) pipeline(input, channel.stdin).catch(() => undefined)
  else channel.stdin.end()
  const stdout = await readAll(channel.stdout, 1024 * 1024).catch(() => Buffer.alloc(0))
  const { exitCode, stderr } = await channel.ended
  clearTimeout(timer)
  const why = late ? `no answer within ${timeoutMs / 1000} s` : stderr
  return { ok: exitCode === 0 && !late, exitCode, stdout: stdout.toString('utf8'), stderr: why.trim() }
}
