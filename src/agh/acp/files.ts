// Reading and writing of text files for the agent.
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import { confinePath } from './confine-path.ts'

const MAX_FILE_BYTES = 16 * 1024 * 1024

export interface ReadRequest {
  path: string
  /** The first line, counted from 1. */
  line?: number | null | undefined
  /** How many lines. */
  limit?: number | null | undefined
}

export function readTextFile(roots: readonly string[], request: ReadRequest): string {
  const path = confinePath(roots, request.path)
  const text = readPlainText(path, { maxBytes: MAX_FILE_BYTES })
  if (request.line == null && request.limit == null) return text
  const from = Math.max(0, (request.line ?? 1) - 1)
  const lines = text.split('\n')
  return lines.slice(from, request.limit == null ? undefined : from + request.limit).join('\n')
}

export function writeTextFile(roots: readonly string[], path: string, content: string): void {
  const target = confinePath(roots, path)
  mkdirSync(dirname(target), { recursive: true })
  const mode = statSync(target, { throwIfNoEntry: false })?.mode
  writeFileAtomic(target, content, { mode: mode === undefined ? 0o644 : mode & 0o777, durable: false })
}
