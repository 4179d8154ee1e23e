// Whether a repository has a remote, from its configuration file alone: no subprocess.
import { join } from 'node:path'
import { commonGitDir } from '../../git/git-dir.ts'
import { readPlainText } from '../../lib/plain-file.ts'

/** null: there is no repository, or it is unreadable. */
export function hasRemote(path: string): boolean | null {
  try {
    const commonDir = commonGitDir(path)
    if (commonDir === null) return null
    return /^\s*\[\s*remote\s*["\s.]/m.test(readPlainText(join(commonDir, 'config')))
  } catch {
    // An unreadable directory says nothing; other commands report what is wrong with it.
    return null
  }
}
