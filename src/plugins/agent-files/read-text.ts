// The end of a text file that another program writes. Missing, unreadable or no plain file reads as null; never waits.
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

export interface TextTail {
  text: string
  /** The file's first byte is in it. */
  fromStart: boolean
  modifiedAt: Date
}

export async function readTextTail(path: string, bytes: number): Promise<TextTail | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stats = await file.stat()
      if (!stats.isFile()) return null
      const from = Math.max(0, stats.size - bytes)
      const buffer = Buffer.alloc(stats.size - from)
      const { bytesRead } = await file.read(buffer, 0, buffer.length, from)
      return { text: buffer.toString('utf8', 0, bytesRead), fromStart: from === 0, modifiedAt: stats.mtime }
    } finally {
      await file.close()
    }
  } catch {
    // For a reader of somebody else's files all of this means that there is nothing to read.
    return null
  }
}
