// Reads and writes text files for the agent. Whatever is at the path (a pipe, a device, an endless file), it never blocks.
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import { confinePath } from './confine-path.ts'

const MAX_FILE_BYTES = 16 * 1024 * 1024

export interface ReadRequest {
  path: string
  /** The first line, 1-based. */
  line?: number | null | undefined
  /** The number of lines. */
  limit?: number | null | undefined
}

export function readTextFile(roots: readonly string[], request: ReadRequest): string {
  const path = confinePath(roots, request.path)
  // No symbolic links: the path is already resolved.
  const text = readPlainText(path, { maxBytes: MAX_FILE_BYTES, noFollow: true })
  if (request.line == null && request.limit == null) return text
  const from = Math.max(0, (request.line ?? 1) - 1)
  const lines = text.split('\n')
  return lines.slice(from, request.limit == null ? undefined : from + request.limit).join('\n')
}

/** null: there is none, or it is not a text that could be shown. `path`: resolved. */
export function readIfText(path: string): string | null {
  try {
    return readPlainText(path, { maxBytes: MAX_FILE_BYTES, noFollow: true })
  } catch {
    // Whatever is there, the write itself says what is wrong with it.
    return null
  }
}

export function writeTextFile(roots: readonly string[], path: string, content: string): void {
  const target = confinePath(roots, path)
  mkdirSync(dirname(target), { recursive: true })
  const stats = statSync(target, { throwIfNoEntry: false })
  if (stats && !stats.isFile()) throw new Error(`${path} is not a plain file`)
  const mode = stats === undefined ? 0o644 : stats.mode & 0o777
  writeFileAtomic(target, content, { mode, durable: false, isForeign: true })
}
