// Processes that may have come from a stopped agent although nothing proves it: `env -i setsid …` leaves no trace, and a
// server started by hand in the same directory looks just the same. They are reported, never ended.
import { realpathSync } from 'node:fs'
import { markerOf, type Quarry } from './own-processes.ts'
import { formatIdentity } from './process-identity.ts'
import { type ProcessRow, readSharedTable } from './process-table.ts'

export interface UnprovenProcess {
  pid: number
  command: string
}

/** Younger than the agent, working in its directory or left over in its session, and without a parent or a terminal. */
export async function findUnproven(quarry: Quarry, workspacePath: string): Promise<UnprovenProcess[]> {
  const directory = realPath(workspacePath)
  const table = await readSharedTable()
  const found = [...quarry.found.values()].filter((one) => one.boot === table[0]?.identity.boot)
  const began = Math.min(...found.map((one) => Number(one.start)))
  const sessions = new Set(found.map((one) => one.pid))
  const isSuspect = (row: ProcessRow) =>
    !quarry.found.has(formatIdentity(row.identity)) &&
    Number(row.identity.start) >= began &&
    !row.hasTerminal &&
    isOrphan(row, table) &&
    (sessions.has(row.session) || (directory !== null && row.worksIn(directory))) &&
    row.environment.isReadable() &&
    markerOf(row) === null
  return table.filter(isSuspect).map((row) => ({ pid: row.identity.pid, command: shortCommand(row) }))
}

/** Programs besides process 1 that adopt orphans. */
const REAPERS = /^(\S*\/)?(systemd|init|tini|dumb-init|docker-init|catatonit)(\s|$)/

function isOrphan(row: ProcessRow, table: ProcessRow[]): boolean {
  if (row.parent <= 1) return true
  const parent = table.find((one) => one.identity.pid === row.parent)
  return parent !== undefined && REAPERS.test(parent.commandLine())
}

const LONGEST_COMMAND = 80

function shortCommand(row: ProcessRow): string {
  // A process's self-chosen name must not reach a terminal as control sequences.
  const text = row
    .commandLine()
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
  return text.length > LONGEST_COMMAND ? `${text.slice(0, LONGEST_COMMAND)}…` : text
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    // Without a directory nothing can be working in it.
    return null
  }
}
