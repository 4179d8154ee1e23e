// The text of a configuration file, bounded. Whatever lies there under that name, reading it ends.
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { AoError, errorText } from '../contract/errors.ts'

const LARGEST = 256 * 1024

export interface ConfigText {
  /** Real path: the same file by another name is the same configuration. */
  path: string
  text: string
}

export function readConfig(path: string): ConfigText {
  try {
    const real = realpathSync(path)
    return { path: real, text: readBounded(real) }
  } catch (error) {
    if (error instanceof AoError) throw error
    throw new AoError('CONFIG_INVALID', `${path} cannot be read: ${errorText(error)}`, {
      hint: 'Check that the file exists and that you may read it',
      details: { file: path },
      cause: error,
    })
  }
}

function readBounded(path: string): string {
  // Not blocking: a named pipe in place of the file must not hold us for ever.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw refused(path, 'is not a regular file')
    if (stats.size > LARGEST) throw refused(path, `is larger than ${LARGEST} bytes`)
    // One byte more than allowed, so that a file that grows meanwhile is noticed.
    const buffer = Buffer.allocUnsafe(LARGEST + 1)
    const length = readAll(fd, buffer)
    if (length > LARGEST) throw refused(path, `is larger than ${LARGEST} bytes`)
    return buffer.toString('utf8', 0, length)
  } finally {
    closeSync(fd)
  }
}

function readAll(fd: number, buffer: Buffer): number {
  let length = 0
  while (length < buffer.length) {
    const read = readSync(fd, buffer, length, buffer.length - length, null)
    if (read === 0) break
    length += read
  }
  return length
}

function refused(path: string, why: string): AoError {
  return new AoError('CONFIG_INVALID', `${path} ${why}`, {
    hint: 'Name another file with: --config <path>',
    details: { file: path },
  })
}
