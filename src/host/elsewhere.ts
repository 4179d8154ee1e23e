// An agent whose host is elsewhere. The directory here has a record of where that host is reached, the agent's end once it is known,
// and output that came here for a reader that was late. Whoever started the agent writes and removes it.
import { mkdirSync } from 'node:fs'
import { type HostRecord, readExitRecord, readHostRecord, writeHostRecord } from './files.ts'
import type { EndedAgent, HostSource } from './follow.ts'
import type { AgentExit } from './protocol.ts'
import { connectHost } from './read.ts'
import { readLeftover } from './spool.ts'

export function writeElsewhere(directory: string, { spawnId, socket }: { spawnId: string; socket: string }): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeHostRecord(directory, { spawnId, host: '', agent: null, socket, isElsewhere: true })
}

/** null: its host is on this machine. */
export function findElsewhere(directory: string): HostRecord | null {
  const record = readHostRecord(directory)
  return record?.isElsewhere ? record : null
}

export function sourceElsewhere(directory: string): HostSource {
  return {
    connect: () => connectHost(findElsewhere(directory)?.socket ?? ''),
    ended: () => endedElsewhere(directory),
  }
}

/** null: as far as anybody here knows, it is running. */
export function endedElsewhere(directory: string): EndedAgent | null {
  const record = readHostRecord(directory)
  if (record === null) return ended({ code: 1, signal: null }, 'its place was given back', () => [])
  const exit = readExitRecord(directory)
  if (exit?.spawnId !== record.spawnId) return null
  const why = `it ended in its place: ${exit.why ?? 'the end was recorded'}`
  return ended({ code: exit.code, signal: exit.signal }, why, (after) => readLeftover(directory, after))
}

function ended(exit: AgentExit, why: string, leftover: EndedAgent['leftover']): EndedAgent {
  return { exit, why, remark: why, leftover }
}
