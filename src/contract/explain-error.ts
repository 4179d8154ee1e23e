// Any thrown value as an error with a code: refusals of the operating system are explained, the rest is a bug of ours.
import { AoError, type ErrorCode, errorText } from './errors.ts'

interface SystemError {
  code?: unknown
  syscall?: unknown
  path?: unknown
}

type Explanation = readonly [code: ErrorCode, what: (path: string) => string]

const FULL: Explanation = ['DISK_FULL', (path) => `There is no space left on the disk${forPath(path)}`]
const DENIED: Explanation = ['ACCESS_DENIED', (path) => `${path || 'A file'} is not open to this user`]
const EXHAUSTED: Explanation = ['TOO_MANY_FILES', (path) => `Too many files are open to continue${forPath(path)}`]

const EXPLAINED: Readonly<Record<string, Explanation>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: ['DISK_READ_ONLY', (path) => `The file system is read-only${forPath(path)}`],
  EACCES: DENIED,
  EPERM: DENIED,
  EMFILE: EXHAUSTED,
  ENFILE: EXHAUSTED,
  EIO: ['FILE_UNUSABLE', (path) => `The disk failed${forPath(path)}`],
  EBUSY: ['FILE_UNUSABLE', (path) => `${path || 'A file'} is in use, by a mount for example`],
  // Also what node makes of a directory that cannot be made.
  ENOENT: ['FILE_UNUSABLE', (path) => `${path || 'A file'} is not there`],
  ELOOP: ['FILE_UNUSABLE', (path) => `${path || 'A path'} is a circle of symbolic links, or a link where none may be`],
  EISDIR: ['FILE_UNUSABLE', (path) => `${path || 'A path'} is a directory, and a file was expected`],
  ENOTDIR: ['FILE_UNUSABLE', (path) => `Part of ${path || 'a path'} is a file, and a directory was expected`],
  EEXIST: ['FILE_UNUSABLE', (path) => `${path || 'A path'} already exists, and ao did not create it`],
  ENAMETOOLONG: ['FILE_UNUSABLE', (path) => `The path is too long${forPath(path)}`],
}

/** `program`: whose bug it is when nothing else is to blame. */
export function explainError(error: unknown, program = 'ao'): AoError {
  if (error instanceof AoError) return error
  const system = explainSystemError(error)
  if (system) return system
  return new AoError('INTERNAL', `Something went wrong inside ${program}: ${errorText(error)}`, {
    hint: `Run it again with ${program.toUpperCase()}_LOG_LEVEL=debug to see where`,
    cause: error,
  })
}

/** null: not an operating-system error, or one that says nothing about the user's machine. */
export function explainSystemError(error: unknown): AoError | null {
  if (typeof error !== 'object' || error === null) return null
  const { code, syscall, path } = error as SystemError
  if (typeof code !== 'string' || typeof syscall !== 'string' || !Object.hasOwn(EXPLAINED, code)) return null
  const [errorCode, what] = EXPLAINED[code]!
  const shownPath = typeof path === 'string' ? path : ''
  return new AoError(errorCode, `${what(shownPath)} (${code}, ${syscall})`, {
    details: { system: code, syscall, path: shownPath || undefined },
    cause: error,
  })
}

function forPath(path: string): string {
  return path === '' ? '' : `: ${path}`
}
