// Starts a host that outlives us and waits for its one-line report.
import { closeSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { openEmpty, readSince } from '../../../lib/plain-file.ts'
import { firstLine } from '../../../lib/process/first-line.ts'
import { startProgram } from '../../../lib/start-program.ts'
import type { HostReport } from './host.ts'
import { hostLogFile } from './host-files.ts'

/** The host's program: next to the bundle, or the source next to this file. */
export function hostProgram(): string {
  const file = import.meta.url.endsWith('.ts') ? './host.ts' : './process-host.js'
  return fileURLToPath(new URL(file, import.meta.url))
}

/** Enough to work; none of the user's secrets, no marker of an outer session. */
const NAMES_FOR_HOST = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TMPDIR|XDG_RUNTIME_DIR)$/

/** A host does little: a small heap keeps many of them cheap. */
const NODE_FLAGS = ['--max-old-space-size=96', '--max-semi-space-size=1']

const SHOWN_LOG = 4_000

export interface HostStart {
  stateDir: string
  spawnId: string
  env: NodeJS.ProcessEnv
  timeoutMs: number
}

/** Resolves with the host's report; a host that died without one is reported with the end of its log. */
export async function startHost(start: HostStart): Promise<HostReport> {
  const { stateDir, spawnId } = start
  const log = openEmpty(hostLogFile(stateDir))
  try {
    // The shell exits immediately, so the host is no longer our descendant: ending us or an agent around us does not end
    // it.
    const child = startProgram(
      '/bin/sh',
      ['-c', '"$@" &', 'sh', process.execPath, ...NODE_FLAGS, hostProgram(), 'host', stateDir, spawnId],
      {
        cwd: '/',
        env: Object.fromEntries(Object.entries(start.env).filter(([name]) => NAMES_FOR_HOST.test(name))),
        stdio: ['ignore', log, log, 'pipe'],
        detached: true,
      },
    )
    // A shell that cannot be started closes the pipe, which is what we wait for.
    child.on('error', () => undefined)
    const line = await firstLine(child.stdio[3] as Readable, start.timeoutMs)
    if (line !== null) return JSON.parse(line) as HostReport
  } finally {
    closeSync(log)
  }
  const said = readSince(hostLogFile(stateDir), 0, SHOWN_LOG).trim().split('\n').slice(-5).join(' / ')
  return { ok: false, message: `its host did not start${said ? `: ${said}` : ''}` }
}
