// The processes of one HOME: ended as a power cut ends them, and weighed.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

export interface Process {
  pid: number
  command: string
}

/** Those whose environment names this HOME, whatever started them. */
export function processesOf(home: string): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      const environment = readProc(`/proc/${name}/environ`)
      if (!`\0${environment}`.includes(`\0HOME=${home}\0`)) return []
      return [{ pid: Number(name), command: readProc(`/proc/${name}/cmdline`).replaceAll('\0', ' ').trim() }]
    })
}

export async function endProcesses(home: string, isMeant: (command: string) => boolean): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const left = processesOf(home).filter(({ command }) => isMeant(command))
    if (left.length === 0) return
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended by itself.
      }
    }
    await pause(50)
  }
}

const TICKS_PER_SECOND = 100

export function weighProcesses(processes: readonly Process[]): { cpuSeconds: number; rssMb: number } {
  let ticks = 0
  let kilobytes = 0
  for (const { pid } of processes) {
    // After the name in brackets, which may have spaces in it: own and waited-for children's time.
    const fields = readProc(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
    for (const index of [11, 12, 13, 14]) ticks += Number(fields[index] ?? 0)
    kilobytes += Number(/^Pss:\s+(\d+)/m.exec(readProc(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0)
  }
  return { cpuSeconds: ticks / TICKS_PER_SECOND, rssMb: kilobytes / 1024 }
}

function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // It has ended, or is not ours.
    return ''
  }
}
