// Unix sockets have short names: the kernel takes about a hundred bytes. Through an open directory a longer one can be used.
import { closeSync, constants, openSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { AoError } from '../contract/errors.ts'

/** 108 on Linux, 104 on macOS, with the zero at the end. */
const MAX_BYTES = 103

/** `use` binds or connects before it first waits for anything; the name that it gets is good until its promise settles. */
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
