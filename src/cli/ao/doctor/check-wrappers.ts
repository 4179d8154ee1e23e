// The wrappers for gh and git that are first in every agent's PATH, and the hooks of agents.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { isComplete, setupPathWrapperWorkspace } from '../../../inside/path-wrappers.ts'
import { exec, execFailure } from '../../../lib/exec.ts'
import { lookupIn } from '../../../lib/find-executable.ts'
import { readPlainText } from '../../../lib/plain-file.ts'
import { defaultAoCommand } from '../../../manager/context.ts'
import { detectedFinding, type Finding } from '../../print/findings.ts'
import type { Io } from '../../print/io.ts'

const NEEDED = ['ao', 'ao-hook', 'gh', 'git', 'ao-metadata-helper.sh'] as const

/** Each is run: that it exists says nothing about its interpreter, nor about what it runs. */
const RUNS: Record<'ao' | 'ao-hook' | 'gh' | 'git', { args: string[]; env?: NodeJS.ProcessEnv }> = {
  ao: { args: ['--version'] },
  // Without an event it does nothing.
  'ao-hook': { args: [] },
  // Whether a real gh exists is checked where a forge needs one.
  gh: { args: ['--version'], env: { AO_GH_FACADE: 'true' } },
  git: { args: ['--version'] },
}

export async function checkWrappers(io: Io, { fix }: { fix: boolean }): Promise<Finding[]> {
  const bin = join(io.home, '.ao', 'bin')
  const versionFile = join(bin, '.ao-version')
  if (!existsSync(bin)) {
    return [{ level: 'pass', name: 'wrappers', detail: 'not installed yet; the first session brings them' }]
  }
  const broken = await findBroken(bin, io)
  if (broken.length === 0) return [{ level: 'pass', name: 'wrappers', detail: versionLine(bin, versionFile) }]
  if (!fix || broken.every(({ level }) => level === 'warn')) return broken
  await setupPathWrapperWorkspace({
    home: io.home,
    aoCommand: defaultAoCommand(),
    lookup: lookupIn(io.env),
    anew: true,
  })
  const left = await findBroken(bin, io)
  if (left.length > 0) return left
  return [{ level: 'pass', name: 'wrappers', detail: `installed again: ${versionLine(bin, versionFile)}` }]
}

function versionLine(bin: string, versionFile: string): string {
  return `${bin}, version ${readPlainText(versionFile).trim()}`
}

async function findBroken(bin: string, io: Io): Promise<Finding[]> {
  const missing = ['.ao-version', ...NEEDED].filter((file) => !existsSync(join(bin, file)))
  if (missing.length > 0) {
    return [{ level: 'fail', name: 'wrappers', detail: `${bin} lacks ${missing.join(', ')}`, fix: INSTALL_AGAIN }]
  }
  const programs = Object.keys(RUNS) as Array<keyof typeof RUNS>
  const found = (await Promise.all(programs.map((program) => tryRun(bin, program, io)))).flat()
  if (isComplete(bin) || found.some(({ level }) => level === 'fail')) return found
  // An empty script does nothing and says nothing, and on a busy machine none may end in time.
  const detail = `${bin} holds empty or damaged scripts, not the ones that were installed`
  return [{ level: 'fail', name: 'wrappers', detail, fix: INSTALL_AGAIN }]
}

const INSTALL_AGAIN = 'Install them again with: ao doctor --fix'

async function tryRun(bin: string, program: keyof typeof RUNS, io: Io): Promise<Finding[]> {
  const { args, env } = RUNS[program]
  const path = `${bin}${delimiter}${io.env.PATH ?? ''}`
  const result = await exec(join(bin, program), args, { env: { ...io.env, ...env, PATH: path }, timeoutMs: 10_000 })
  if (result.ok) return []
  const { timedOut } = result
  const detail = describeFailure(join(bin, program), result)
  const fix = timedOut ? undefined : INSTALL_AGAIN
  return [detectedFinding(`wrapper ${program}`, { ok: false, detail, fix, timedOut })]
}

/** A script that exists and cannot be found lacks its interpreter. */
function describeFailure(path: string, result: Awaited<ReturnType<typeof exec>>): string {
  if (result.startError?.code !== 'ENOENT') return execFailure(path, result)
  const interpreter = /^#!(\S+)/.exec(readPlainText(path))?.[1] ?? 'its interpreter'
  return `${path} cannot run: ${interpreter} is missing, so that agents go past it`
}
