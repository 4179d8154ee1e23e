// The one way to remove files and directories: gone afterwards, whether it was there or not, and every error keeps its code.
import { lstatSync, type PathLike, rmSync, unlinkSync } from 'node:fs'

/** A file, link or socket; never a directory. */
export function removeFile(path: PathLike): void {
  try {
    unlinkSync(path)
  } catch (error) {
    // A read-only disk refuses also what was never there.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && mayExist(path)) throw error
  }
}

function mayExist(path: PathLike): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // Could not tell: the first error stands.
    return true
  }
}

/** A directory with all that is in it. `maxRetries`: of what other programs are still writing to. */
export function removeTree(path: string, options: { maxRetries?: number } = {}): void {
  try {
    rmSync(path, { ...options, recursive: true, force: true })
  } catch (error) {
    throw withCode(error)
  }
}

/** `rmSync` of Node 24 has lost the code of most errors, and has only the text of the C library (of glibc, musl and macOS). */
const CODES_IN_WORDS: ReadonlyArray<readonly [text: RegExp, code: string]> = [
  [/No space left on device/, 'ENOSPC'],
  [/quota exceeded/i, 'EDQUOT'],
  [/Read-only file system/, 'EROFS'],
  [/Input\/output error|I\/O error/, 'EIO'],
  [/Too many open files in system/, 'ENFILE'],
  [/Too many open files|No file descriptors available/, 'EMFILE'],
  [/Resource busy|Device or resource busy/i, 'EBUSY'],
]

function withCode(error: unknown): unknown {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code !== '') return error
  // Without its path, which could be called like that.
  const [, strerror = ''] = /Unknown error: ([^']*)/.exec(error.message) ?? []
  const code = CODES_IN_WORDS.find(([pattern]) => pattern.test(strerror))?.[1]
  return code === undefined ? error : Object.assign(error, { code })
}
