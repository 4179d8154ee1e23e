// Reads files that belong to other programs: only plain ones, and never blocking.
import { closeSync, existsSync, fstatSync, read, readSync } from 'node:fs'
import { openPlain } from './plain-file.ts'

export interface FileStats {
  size: number
  ino: number
  mtime: Date
}

/** An open file. */
export type PlainFile = number

/** Opens without blocking (a FIFO would block forever) and reads only plain files. */
export async function withPlainFile<T>(
  path: string,
  use: (file: PlainFile, stats: FileStats) => Promise<T>,
): Promise<T | null> {
  // A missing one is the usual case for many agents, and a failed open costs ten times as much as this.
  if (!existsSync(path)) return null
  let file: PlainFile
  try {
    // Opening and inspecting take microseconds; handing them to another thread takes longer than doing them.
    file = openPlain(path)
  } catch {
    // Missing, unreadable or not plain: for a reader of another program's files there is nothing to read.
    return null
  }
  try {
    return await use(file, fstatSync(file))
  } catch {
    // It disappeared or became unreadable while we read.
    return null
  } finally {
    closeSync(file)
  }
}

/** Up to this size a synchronous read is faster; longer ones leave the process free meanwhile. */
const QUICK_BYTES = 64 * 1024

export async function readAt(file: PlainFile, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const where = { offset: filled, length: length - filled, position: position + filled }
    const count = length <= QUICK_BYTES ? readSync(file, buffer, where) : await readSlowly(file, buffer, where)
    if (count === 0) break
    filled += count
  }
  return buffer.subarray(0, filled)
}

function readSlowly(
  file: PlainFile,
  buffer: Buffer,
  where: { offset: number; length: number; position: number },
): Promise<number> {
  return new Promise((resolve, reject) => {
    read(file, buffer, where.offset, where.length, where.position, (error, count) =>
      error ? reject(error) : resolve(count),
    )
  })
}
