// Processes that a stop left alone, for people: `redis-server *:6379 (4711)`.
import type { LeftProcess } from '../../contract/session.ts'

export function describeLeftProcesses(processes: readonly LeftProcess[]): string {
  return processes.map(({ pid, command }) => `${command || 'a process'} (${pid})`).join(', ')
}
