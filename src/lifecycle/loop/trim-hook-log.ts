// The reports of agents' hooks grow as long as a session lives. The end of a long file is kept, and the lines that name the
// agent's sessions; its readers detect a rewritten file.
import { appendFileSync, closeSync, fstatSync, statSync } from 'node:fs'
import type { ProjectConfig } from '../../contract/config.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { sleep } from '../../lib/clock.ts'
import { openPlain, readRange } from '../../lib/plain-file.ts'
import { storedSessions } from '../../manager/active.ts'
import { hooksPath } from '../../plugins/agent-files/hook-events.ts'
import type { LoopContext } from './loop-context.ts'

const LONGEST = 16 * 1024 * 1024
const KEPT = 4 * 1024 * 1024
/** A hook that had the file open when it was replaced has written its line by then. */
const IN_FLIGHT_MS = 250
const STARTS_KEPT = 100

export async function keepHooksShort(loop: LoopContext, project: ProjectConfig): Promise<void> {
  const open = storedSessions(loop.context, project.id).filter(
    ({ status }) => !isTerminalSession({ status, activity: null }),
  )
  for (const { id } of open) await shortenHooks(hooksPath(loop.context.paths.project(project.id).stateDir(id)))
}

export async function shortenHooks(file: string, { longest = LONGEST, kept = KEPT } = {}): Promise<boolean> {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile() || stats.size <= longest) return false
  const fd = openPlain(file)
  try {
    const all = readRange(fd, 0, fstatSync(fd).size)
    writeFileAtomic(file, shortened(all, kept), { isForeign: true })
    await sleep(IN_FLIGHT_MS)
    appendFileSync(file, readRange(fd, all.length, fstatSync(fd).size))
    return true
  } finally {
    closeSync(fd)
  }
}

function shortened(all: Buffer, kept: number): Buffer {
  const cut = all.indexOf('\n', all.length - kept) + 1
  const starts = all
    .subarray(0, cut)
    .toString()
    .split('\n')
    .filter((line) => line.includes('"SessionStart"'))
    .slice(-STARTS_KEPT)
  return Buffer.concat([Buffer.from(starts.map((line) => `${line}\n`).join('')), all.subarray(cut)])
}
