// The demo agent's own side of its log: appends records, reads them back on resume. Each line is on disk before the agent
// acts.
import { closeSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeAll } from '../../lib/atomic-write.ts'
import type { Clock } from '../../lib/clock.ts'
import { endsWithNewline, MAX_FOREIGN_BYTES, openForAppend, readIfThere } from '../../lib/plain-file.ts'
import { type DemoRecord, type DemoRecordBody, parseDemoRecord } from './session-records.ts'

export interface SessionLog {
  add(record: DemoRecordBody): void
  close(): void
}

export function openSessionLog(path: string, clock: Clock): SessionLog {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const fd = openForAppend(path)
  // A line cut off by kill -9 must not swallow the next one.
  if (!endsWithNewline(fd)) writeAll(fd, Buffer.from('\n'))
  return {
    add: (record) => writeAll(fd, Buffer.from(`${JSON.stringify({ at: clock.now().toISOString(), ...record })}\n`)),
    close: () => closeSync(fd),
  }
}

/** Every readable record; damaged lines are skipped. */
export function readSessionLog(path: string): DemoRecord[] {
  const text = readIfThere(path, { maxBytes: MAX_FOREIGN_BYTES }) ?? ''
  return text.split('\n').flatMap((line) => {
    const record = parseLine(line)
    return record ? [record] : []
  })
}

function parseLine(line: string): DemoRecord | null {
  try {
    return parseDemoRecord(JSON.parse(line))
  } catch {
    // Cut off by a crash, or empty.
    return null
  }
}
