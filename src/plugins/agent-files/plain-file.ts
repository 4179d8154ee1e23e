// Opens files that belong to other programs: only plain ones, and never waiting.
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

export interface FileStats {
  size: number
  ino: number
  mtime: Date
}

/** Opens without waiting (a FIFO would wait for ever) and only looks into plain files. */
export async function withPlainFile<T>(
  path: string,
  use: (file: FileHandle, stats: FileStats) => Promise<T>,
): Promise<T | null> {
  let file: FileHandle
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    // Missing or not readable: for a reader of somebody else's files both mean that there is nothing to read.
    return null
  }
  try {
    const stats = await file.stat()
    return stats.isFile() ? await use(file, stats) : null
  } catch {
    // It went away or became unreadable while we read.
    return null
  } finally {
    await file.close()
  }
}

export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}
