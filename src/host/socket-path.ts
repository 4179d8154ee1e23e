// Where a host listens: a short path in a directory that only this user can enter.
import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AoError } from '../contract/errors.ts'

/** sun_path: 108 bytes on Linux, 104 on macOS, with the NUL at its end. */
const MAX_PATH_BYTES = process.platform === 'darwin' ? 103 : 107

/** The home is preferred: a runtime directory disappears with the login, the agent does not. */
export function socketDirectories({ home, env }: { home: string; env: NodeJS.ProcessEnv }): string[] {
  const runtimeDir = env.XDG_RUNTIME_DIR
  return [
    join(home, '.ao', 'run'),
    ...(runtimeDir ? [join(runtimeDir, 'ao')] : []),
    join(tmpdir(), `ao-${process.getuid?.() ?? 0}`),
  ]
}

export function chooseSocketPath(options: { home: string; env: NodeJS.ProcessEnv; key: string }): string {
  const name = `${createHash('sha256').update(options.key).digest('hex').slice(0, 16)}.sock`
  const directories = socketDirectories(options)
  const directory = directories.find((one) => Buffer.byteLength(join(one, name)) <= MAX_PATH_BYTES)
  if (directory === undefined) {
    throw new AoError('RUNTIME_FAILED', 'No directory is short enough for a Unix socket', {
      hint: 'Set XDG_RUNTIME_DIR to a short path',
      details: { directories },
    })
  }
  makePrivate(directory)
  return join(directory, name)
}

/** In somebody else's directory, anyone could replace our socket. */
function makePrivate(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const stat = lstatSync(directory)
  if (!stat.isDirectory() || stat.uid !== (process.getuid?.() ?? stat.uid)) {
    throw new AoError('RUNTIME_FAILED', `${directory} is not a directory of this user`)
  }
  if ((stat.mode & 0o077) !== 0) chmodSync(directory, 0o700)
}
