// How busy the machine is, without a process.
import { availableParallelism, cpus, loadavg } from 'node:os'
import type { MachineLoad } from '../../core/radar/idle-machine.ts'

export interface LoadMeter {
  sample(): MachineLoad
}

export function createLoadMeter(): LoadMeter {
  let before = readTimes()
  return {
    sample() {
      const now = readTimes()
      const [total, foreground] = [now.total - before.total, now.foreground - before.foreground]
      before = now
      // Only Linux counts programs of low priority by themselves.
      const isCounted = process.platform === 'linux' && total > 0
      return {
        load: loadavg()[0] ?? 0,
        cores: availableParallelism(),
        foreground: isCounted ? foreground / total : null,
      }
    },
  }
}

function readTimes(): { total: number; foreground: number } {
  let total = 0
  let foreground = 0
  for (const { times } of cpus()) {
    total += times.user + times.nice + times.sys + times.idle + times.irq
    foreground += times.user + times.sys + times.irq
  }
  return { total, foreground }
}
