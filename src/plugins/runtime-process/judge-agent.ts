// Is it alive? From what the host wrote down and from the identities of host and agent; no process is started for it.
import { errorText } from '../../contract/errors.ts'
import { type ProcessIdentity, type ProcessState, processState } from '../../lib/process/process-identity.ts'
import type { Liveness } from '../../slots/runtime.ts'
import { readExit } from './host/host-files.ts'
import type { ProcessHandle } from './process-handle.ts'

export function judgeAgent(handle: ProcessHandle): Liveness {
  try {
    const agent = stateOf(handle.agent)
    const host = stateOf(handle.host)
    // Read last: an end that was written while we looked is still seen.
    const exit = readExit(handle.stateDir, handle.spawnId)
    if (exit) {
      const how = exit.signal ?? `exit code ${exit.exitCode}`
      return { state: 'dead', exitCode: exit.exitCode, signal: exit.signal, why: `the agent ended: ${how}` }
    }
    if (agent === 'alive' && host === 'alive') return { state: 'alive', pid: handle.agent!.pid }
    if (agent === 'dead' && host === 'dead') {
      return { state: 'dead', exitCode: null, signal: null, why: 'neither the agent nor its host runs any more' }
    }
    return { state: 'unknown', why: `the agent is ${agent}, its host is ${host}` }
  } catch (error) {
    return { state: 'unknown', why: errorText(error) }
  }
}

/** A process that was never identified ended before anyone could look. */
function stateOf(identity: ProcessIdentity | undefined): ProcessState {
  return identity === undefined ? 'dead' : processState(identity)
}
