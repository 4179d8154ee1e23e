// Whether a repository knows a remote, from its configuration file alone: no subprocess.
import { join } from 'node:path'
import { commonGitDir } from '../../git/git-dir.ts'
import { readPlainText } from '../../lib/plain-file.ts'

/** null: there is no repository, or it cannot be read. */
export function hasRemote(path: string): boolean | null {
  try {
    const commonDir = commonGitDir(path)
    if (commonDir === null) return null
    return /^\s*\[\s*remote\s*["\s.]/m.test(readPlainText(join(commonDir, 'config')))
  } catch {
    // A place that cannot be read says nothing; other commands tell what is wrong with it.
    return null
  }
}
