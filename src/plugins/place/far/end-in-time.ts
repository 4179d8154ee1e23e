// The place is about to end (SIGTERM: a container is stopped, a node drained, a job at its time limit): the agent is stopped,
// which home reads in the log, and the host stays until home has fetched the work, as long as the engine usually allows.
import type { FarHost } from './far-host.ts'

/** Together below the ten seconds that Docker gives; Kubernetes and Slurm give thirty. */
const AGENT_MS = 2_000
const ALL_MS = 9_000

export interface Ending {
  begin(): void
  onLastWork(): void
}

export function endInTime(far: FarHost, leave: () => void): Ending {
  const saved = Promise.withResolvers<void>()
  let hasBegun = false
  return {
    begin() {
      if (hasBegun) return
      hasBegun = true
      const hosted = far.hosted()
      const gatesEnd = far.gates.close()
      setTimeout(leave, ALL_MS)
      if (hosted === null) return void gatesEnd.then(leave, leave)
      // When it cannot be stopped, the next host finds out what became of it.
      Promise.all([hosted.stop(AGENT_MS), saved.promise, gatesEnd]).then(leave, leave)
    },
    onLastWork: saved.resolve,
  }
}
