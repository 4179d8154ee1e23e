// Whether a terminal collects a line before its program reads it (canonical mode). Every terminal begins so, and everything that
// draws its own input line, a menu, a pager or an editor turns it off.
import { readlinkSync } from 'node:fs'
import { exec } from '../exec.ts'
import { type ProcessIdentity, processState } from './process-identity.ts'

const TIMEOUT_MS = 2_000
const TERMINAL = /^\/dev\/(?:pts\/\d+|tty\w+)$/

/** Of the terminal that this process has. null: it has none, or the system does not say. Never throws. */
export async function isInLineMode(agent: ProcessIdentity | undefined): Promise<boolean | null> {
  try {
    if (agent === undefined || processState(agent) !== 'alive') return null
    const terminal = await terminalOf(agent.pid)
    if (terminal === null || !TERMINAL.test(terminal)) return null
    const flag = process.platform === 'linux' ? '-F' : '-f'
    const { ok, stdout } = await exec('stty', [flag, terminal, '-a'], { timeoutMs: TIMEOUT_MS })
    const mode = ok ? /(-?)\bicanon\b/.exec(stdout) : null
    return mode && mode[1] === ''
  } catch {
    // Neither stty nor an answer: then it is unknown.
    return null
  }
}

async function terminalOf(pid: number): Promise<string | null> {
  if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/fd/0`)
  const { ok, stdout } = await exec('ps', ['-o', 'tty=', '-p', String(pid)], { timeoutMs: TIMEOUT_MS })
  return ok ? `/dev/${stdout.trim()}` : null
}
