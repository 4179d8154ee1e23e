// The wrappers for gh and git that stand first in every agent's PATH.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readPlainText } from '../../../lib/plain-file.ts'
import type { Io } from '../../io.ts'
import type { Finding } from '../../print/findings.ts'

const NEEDED = ['gh', 'git', 'ao-metadata-helper.sh'] as const

export async function checkWrappers(io: Io): Promise<Finding[]> {
  const bin = join(io.home, '.ao', 'bin')
  const name = 'wrappers'
  const versionFile = join(bin, '.ao-version')
  if (!existsSync(versionFile)) {
    return [{ level: 'pass', name, detail: 'not installed yet; the first session brings them' }]
  }
  const missing = NEEDED.filter((file) => !existsSync(join(bin, file)))
  if (missing.length > 0) {
    const fix = `rm ${versionFile}; the next session installs them again`
    return [{ level: 'warn', name, detail: `${bin} lacks ${missing.join(', ')}`, fix }]
  }
  return [{ level: 'pass', name, detail: `${bin}, version ${readPlainText(versionFile).trim()}` }]
}
