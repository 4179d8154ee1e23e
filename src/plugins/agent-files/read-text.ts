// The end of a text file that another program writes; null when there is nothing to read.
import { readAt, withPlainFile } from '../../lib/read-jsonl.ts'

export interface TextTail {
  text: string
  /** Whether the file's first byte is included. */
  fromStart: boolean
  modifiedAt: Date
}

export function readTextTail(path: string, bytes: number): Promise<TextTail | null> {
  return withPlainFile(path, async (file, { size, mtime }) => {
    const from = Math.max(0, size - bytes)
    const text = (await readAt(file, from, size - from)).toString('utf8')
    return { text, fromStart: from === 0, modifiedAt: mtime }
  })
}
