// A message, or a file that goes along with one, in an agent's workspace. The agent owns that directory and may put a link wherever ao
// is about to write: every step is taken relative to an open directory that is not a link, so nothing outside the workspace is ever
// written. Nothing that is written there can be executed.
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
import type { Attachment } from '../contract/agh/attachment.ts'
import { AoError, errorText } from '../contract/errors.ts'
import { ATTACHMENT_DIRECTORY, workspaceName } from '../core/message/attachment.ts'
import { MESSAGE_DIRECTORY, messageFileName } from '../core/message/message-file.ts'

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_DIRECTORY } = constants

interface OpenDirectory {
  fd: number
  path: string
}

interface Target {
  directory: readonly string[]
  name: string
  /** Files that could be ours; the oldest are removed beyond `most`. */
  own: RegExp
  most: number
  /** Why it is needed there. */
  because: string
}

/** Where an agent works, and the user's own checkout of its project; null: none that it could work in. */
export interface WorkDirectory {
  path: string
  ownCheckout: string | null
}

/** Replaces an earlier file of the same message. Throws MESSAGE_REFUSED. */
export function writeMessageFile(work: WorkDirectory, messageId: string, text: string): void {
  writeInWorkspace(work, Buffer.from(text), {
    directory: MESSAGE_DIRECTORY,
    name: messageFileName(messageId),
    own: /^[\w-]+\.md$/,
    most: 50,
    because: 'The message is too long to be typed',
  })
}

/** Throws MESSAGE_REFUSED. */
export function writeAttachmentFile(work: WorkDirectory, attachment: Attachment, bytes: Buffer): void {
  writeInWorkspace(work, bytes, {
    directory: ATTACHMENT_DIRECTORY,
    name: workspaceName(attachment),
    own: /^[0-9a-f]{8}-./,
    most: 100,
    because: `${attachment.name} goes along with the message`,
  })
}

function writeInWorkspace(work: WorkDirectory, bytes: Buffer, target: Target): void {
  const open: OpenDirectory[] = []
  try {
    open.push({ fd: openWorkspace(work), path: work.path })
    for (const name of target.directory) open.push(openBelow(open.at(-1)!, name))
    const directory = open.at(-1)!
    removeOldest(directory, target)
    writeNew(below(directory, target.name), bytes)
  } catch (error) {
    const file = join(work.path, ...target.directory)
    throw new AoError('MESSAGE_REFUSED', `${target.because}, and ${file} cannot hold it`, {
      hint: `Remove what is at ${file}, then send it again`,
      details: { why: errorText(error) },
      cause: error,
    })
  } finally {
    for (const { fd } of open) closeSync(fd)
  }
}

/**
 * A worktree is no link unless its agent put one there, to another directory. The user's own checkout, where an orchestrator works, may be
 * reached through one. Which of them it is, the configuration says: whatever is behind a link was chosen by who made it.
 */
function openWorkspace({ path, ownCheckout }: WorkDirectory): number {
  return openSync(path, O_RDONLY | O_DIRECTORY | (path === ownCheckout ? 0 : O_NOFOLLOW))
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

function writeNew(file: string, bytes: Buffer): void {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) unlinkSync(file)
  const fd = openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Only files that are ao's. */
function removeOldest(directory: OpenDirectory, { own, most }: Target): void {
  const files = readdirSync(below(directory, '.')).flatMap((name) => {
    const stats = own.test(name) ? lstatSync(below(directory, name), { throwIfNoEntry: false }) : undefined
    return stats?.isFile() ? [{ name, at: stats.mtimeMs }] : []
  })
  files.sort((a, b) => b.at - a.at)
  for (const { name } of files.slice(most - 1)) unlinkSync(below(directory, name))
}
