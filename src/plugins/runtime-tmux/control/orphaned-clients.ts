// Control clients whose process was killed. tmux (seen with 3.3a) waits forever until such a client has read what it was
// sent: the client stays attached, and a server that is told to exit neither exits nor answers.
import { currentProcess, formatIdentity, parseIdentity, processState } from '../../../lib/process/process-identity.ts'
import { type ProcessRow, readProcessTable } from '../../../lib/process/process-table.ts'

/** In a client's environment: the process that started it, and reads what it prints. */
const OWNER = 'AO_TMUX_CONTROL_OWNER'

export function markAsOurs(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, [OWNER]: formatIdentity(currentProcess()) }
}

/** Returns how many there were. None where other processes' environments cannot be read. */
export function endOrphanedClients(): number {
  const orphans = readProcessTable().filter(isOrphan)
  for (const { identity } of orphans) {
    try {
      process.kill(identity.pid, 'SIGKILL')
    } catch {
      // It ended by itself, or is another user's.
    }
  }
  return orphans.length
}

function isOrphan(row: ProcessRow): boolean {
  const owner = parseIdentity(row.environment.value(OWNER) ?? '')
  return owner !== null && processState(owner) === 'dead'
}
