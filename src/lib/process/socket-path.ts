// Unix socket paths are short: the kernel accepts about a hundred bytes. A longer one can be used through an open
// directory.
import { closeSync, constants, openSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { AoError } from '../../contract/errors.ts'

/** 108 on Linux, 104 on macOS, with the zero at the end. */
const MAX_BYTES = 103

/** `use` binds or connects before its first await; the path it gets is valid until its promise settles. */
export async function withSocketPath<T>(path: string, use: (path: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(path) <= MAX_BYTES) return use(path)
  if (process.platform !== 'linux') {
    throw new AoError('USAGE', `The path of the socket is too long for this system (${MAX_BYTES} bytes): ${path}`, {
      hint: 'Set AGH_HOME to a shorter path',
    })
  }
  const directory = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    return await use(`/proc/self/fd/${directory}/${basename(path)}`)
  } finally {
    closeSync(directory)
  }
}
