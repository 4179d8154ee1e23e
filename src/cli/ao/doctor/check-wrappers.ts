// The wrappers for gh and git that are first in every agent's PATH.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { exec, execFailure } from '../../../lib/exec.ts'
import { readPlainText } from '../../../lib/plain-file.ts'
import type { Io } from '../../io.ts'
import type { Finding } from '../../print/findings.ts'

const NEEDED = ['ao', 'gh', 'git', 'ao-metadata-helper.sh'] as const
/** Whether a real gh exists is checked where a forge needs one. */
const RUN = ['ao', 'git'] as const

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
  const broken = (await Promise.all(RUN.map((program) => tryRun(bin, program, io)))).flat()
  if (broken.length > 0) return broken
  return [{ level: 'pass', name, detail: `${bin}, version ${readPlainText(versionFile).trim()}` }]
}

/** Their existence says nothing about what they run. */
async function tryRun(bin: string, program: (typeof RUN)[number], io: Io): Promise<Finding[]> {
  const path = `${bin}${delimiter}${io.env.PATH ?? ''}`
  const result = await exec(join(bin, program), ['--version'], { env: { ...io.env, PATH: path }, timeoutMs: 10_000 })
  if (result.ok) return []
  const fix = `Remove ${join(bin, '.ao-version')}; the next session installs them again`
  return [{ level: 'fail', name: `wrapper ${program}`, detail: execFailure(join(bin, program), result), fix }]
}
