// How much CPU time and I/O the agent's processes have used: evidence that a silent agent is working. Linux only; elsewhere
// the other evidence has to suffice.
import { readFileSync } from 'node:fs'
import { readProcessTable } from '../../../lib/process/process-table.ts'

export interface TreeWork {
  cpuMs: number
  ioBytes: number
}

const TICK_MS = 10
/** Even a process that only waits wakes up now and then. */
const IDLE_CPU_SHARE = 0.01
const IDLE_CPU_MS = 30
const IDLE_IO_BYTES = 4_096

/** Of all processes in the sessions that these pids lead. */
export function measureTree(leaders: ReadonlySet<number>): TreeWork {
  const total: TreeWork = { cpuMs: 0, ioBytes: 0 }
  if (process.platform !== 'linux') return total
  for (const { pid, session } of recentProcesses()) {
    if (!leaders.has(session) && !leaders.has(pid)) continue
    total.cpuMs += cpuOf(pid)
    total.ioBytes += ioOf(pid)
  }
  return total
}

/** Reading the process table of the whole machine takes milliseconds, and many sessions read it at the same moment. */
const MAX_AGE_MS = 500
let cached: { at: number; processes: Array<{ pid: number; session: number }> } | null = null

function recentProcesses() {
  const now = performance.now()
  if (cached === null || now - cached.at > MAX_AGE_MS) {
    const processes = readProcessTable().map(({ identity, session }) => ({ pid: identity.pid, session }))
    cached = { at: now, processes }
  }
  return cached.processes
}

export function didWork(before: TreeWork, after: TreeWork, wallMs: number): { cpu: boolean; io: boolean } {
  return {
    cpu: after.cpuMs - before.cpuMs > Math.max(IDLE_CPU_MS, wallMs * IDLE_CPU_SHARE),
    io: after.ioBytes - before.ioBytes > IDLE_IO_BYTES,
  }
}

function cpuOf(pid: number): number {
  const stat = readProc(pid, 'stat')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS
}

function ioOf(pid: number): number {
  const counts = readProc(pid, 'io').matchAll(/^[rw]char: (\d+)$/gm)
  return [...counts].reduce((sum, match) => sum + Number(match[1]), 0)
}

function readProc(pid: number, name: 'stat' | 'io'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    // It has ended meanwhile, or we may not read it: no evidence.
    return ''
  }
}
