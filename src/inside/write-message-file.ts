// A message in a file of an agent's workspace. The agent owns that directory and may put a link wherever ao is about to write:
// every step is taken relative to an open directory that is not a link, so nothing outside the workspace is ever written.
import {
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { AoError, errorText } from '../contract/errors.ts'
import { MESSAGE_DIRECTORY, messageFileName } from '../core/message/message-file.ts'

/** The oldest are removed. */
const MAX_FILES = 50
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_DIRECTORY } = constants

interface OpenDirectory {
  fd: number
  path: string
}

/** Replaces an earlier file of the same message. Throws MESSAGE_REFUSED. */
export function writeMessageFile(workspacePath: string, messageId: string, text: string): void {
  const open: OpenDirectory[] = []
  try {
    open.push({ fd: openSync(workspacePath, O_RDONLY | O_DIRECTORY), path: workspacePath })
    for (const name of MESSAGE_DIRECTORY) open.push(openBelow(open.at(-1)!, name))
    const directory = open.at(-1)!
    removeOldest(directory)
    writeNew(below(directory, messageFileName(messageId)), text)
  } catch (error) {
    const file = join(workspacePath, ...MESSAGE_DIRECTORY)
    throw new AoError('MESSAGE_REFUSED', `The message is too long to be typed, and ${file} cannot hold it`, {
      hint: `Remove what is at ${file}, then send it again`,
      details: { why: errorText(error) },
      cause: error,
    })
  } finally {
    for (const { fd } of open) closeSync(fd)
  }
}

/** Linux resolves the name in that very directory, even if its path leads elsewhere by now. */
function below({ fd, path }: OpenDirectory, name: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${fd}/${name}` : join(path, name)
}

function openBelow(directory: OpenDirectory, name: string): OpenDirectory {
  const path = below(directory, name)
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) mkdirSync(path, { mode: 0o700 })
  return { fd: openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path: join(directory.path, name) }
}

function writeNew(file: string, text: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) unlinkSync(file)
  const fd = openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    const bytes = Buffer.from(text)
    for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Only files that a message could have: nothing else is ao's. */
function removeOldest(directory: OpenDirectory): void {
  const files = readdirSync(below(directory, '.')).flatMap((name) => {
    const stats = /^[\w-]+\.md$/.test(name) ? lstatSync(below(directory, name), { throwIfNoEntry: false }) : undefined
    return stats?.isFile() ? [{ name, at: stats.mtimeMs }] : []
  })
  files.sort((a, b) => b.at - a.at)
  for (const { name } of files.slice(MAX_FILES - 1)) unlinkSync(below(directory, name))
}
