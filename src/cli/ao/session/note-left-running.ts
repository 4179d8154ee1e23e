// Reports which processes a stop left alone, because nothing proves that the agent started them.
import type { LeftProcess } from '../../../contract/session.ts'
import { describeLeftProcesses } from '../../../core/status/describe-left-processes.ts'
import type { Io } from '../../print/io.ts'

export function noteLeftRunning(io: Io, sessionId: string, processes: readonly LeftProcess[]): void {
  if (processes.length === 0) return
  const pids = processes.map(({ pid }) => pid)
  io.note(`left running in the workspace of ${sessionId}: ${describeLeftProcesses(processes)}`)
  io.note(
    `  nothing proves that the agent started ${pids.length === 1 ? 'it' : 'them'}; to end: kill ${pids.join(' ')}`,
  )
}
