// Bytes to lines, lines to JSON objects. Pure.

export type JsonObject = Record<string, unknown>

const NEWLINE = 0x0a

export interface LineSplitter {
  /** Whole lines; null stands for one that was too long. */
  push(chunk: Buffer): Array<Buffer | null>
  /** Bytes of an incomplete line, kept for the next chunk. */
  pendingBytes(): number
  insideLongLine(): boolean
}

export function createLineSplitter(maxLineBytes: number, startsInsideLongLine: boolean): LineSplitter {
  let pending: Buffer[] = []
  let pendingBytes = 0
  let tooLong = startsInsideLongLine
  const keep = (part: Buffer) => {
    pending.push(part)
    pendingBytes += part.length
    if (pendingBytes <= maxLineBytes) return
    tooLong = true
    pending = []
    pendingBytes = 0
  }
  return {
    push(chunk) {
      const lines: Array<Buffer | null> = []
      for (const { bytes, ended } of splitLines(chunk)) {
        if (!tooLong) keep(bytes)
        if (!ended) continue
        lines.push(tooLong ? null : Buffer.concat(pending))
        pending = []
        pendingBytes = 0
        tooLong = false
      }
      return lines
    },
    pendingBytes: () => pendingBytes,
    insideLongLine: () => tooLong,
  }
}

function* splitLines(bytes: Buffer): Generator<{ bytes: Buffer; ended: boolean }> {
  let start = 0
  while (start < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, start)
    if (newline === -1) {
      yield { bytes: bytes.subarray(start), ended: false }
      return
    }
    yield { bytes: bytes.subarray(start, newline), ended: true }
    start = newline + 1
  }
}

export function parseLines(text: Buffer): { records: JsonObject[]; damaged: number } {
  const records: JsonObject[] = []
  let damaged = 0
  for (const { bytes, ended } of splitLines(text)) {
    const record = parseObject(bytes)
    if (record) records.push(record)
    // A last line without a newline is still being written, or cut off by the boundary.
    else if (record === null && ended) damaged++
  }
  return { records, damaged }
}

/** undefined: an empty line. null: not a JSON object. */
export function parseObject(line: Buffer): JsonObject | null | undefined {
  const text = line.toString('utf8').trim()
  if (text === '') return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null
  } catch {
    // Not JSON: the caller counts it.
    return null
  }
}
