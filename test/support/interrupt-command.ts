// Ways in which a command ends before its time, for tests that want to see what it leaves.
import { readdirSync, readFileSync } from 'node:fs'

/** Ctrl-C; `kill -9` of node, whose git continues alone; both killed, as in a power loss. */
export const WAYS = ['ctrl-c', 'node killed', 'node and git killed'] as const
export type Way = (typeof WAYS)[number]

export function interrupt(pid: number, way: Way): void {
  if (way === 'ctrl-c') {
    signal(pid, 'SIGINT')
    return
  }
  // Stopped first, so that it starts nothing between the scan and the kill.
  signal(pid, 'SIGSTOP')
  const children = way === 'node and git killed' ? gitBelow(pid) : []
  signal(pid, 'SIGKILL')
  for (const child of children) signal(child, 'SIGKILL')
}

/** Command lines of the git processes that run with this HOME. */
export function gitWithHome(home: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || !readProc(pid, 'comm')?.startsWith('git')) return []
    if (!readProc(pid, 'environ')?.includes(`HOME=${home}\0`)) return []
    return [readProc(pid, 'cmdline')?.replaceAll('\0', ' ') ?? pid]
  })
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It ended on its own meanwhile.
  }
}

/** Git processes below a process. The agent's host and tmux are others' children by then, and are left alone. */
function gitBelow(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readProc(name, 'stat') : null
    if (stat) parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const below = (top: number): number[] =>
    [...parents].filter(([, parent]) => parent === top).flatMap(([child]) => [child, ...below(child)])
  return below(pid).filter((one) => readProc(one, 'comm')?.startsWith('git'))
}

function readProc(pid: number | string, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return null
  }
}
