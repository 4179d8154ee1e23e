// What listens on a port that is not available, and what to do about it.
import { createServer } from 'node:net'
import { AoError } from '../../contract/errors.ts'
import { loopState, runStates } from '../../lifecycle/loop/run-state.ts'
import type { Address } from './listen.ts'

export interface PortClaim extends Address {
  home: string
  configPath: string
}

/** Before a process is started that would only fail. Throws PORT_TAKEN. */
export function requireFreePort(claim: PortClaim): Promise<void> {
  const probe = createServer()
  return new Promise((resolve, reject) => {
    probe.once('error', (error) => reject(portTaken(error, claim)))
    probe.listen({ host: claim.host, port: claim.port }, () => probe.close(() => resolve()))
  })
}

export function portTaken(error: NodeJS.ErrnoException, { host, port, home, configPath }: PortClaim): AoError {
  const owner = error.code === 'EADDRINUSE' ? findOwner(home, port) : null
  const why = error.code !== 'EADDRINUSE' ? error.message : (owner ?? 'another program listens there')
  return new AoError('PORT_TAKEN', `Port ${port} of ${host} cannot be used: ${why}`, {
    hint: `Set another \`port:\` in ${configPath}, or say it for once: AO_PORT=${port + 1} ao start`,
    details: { host, port, configPath, ownedByAo: owner !== null },
    cause: error,
  })
}

/** The loop of another configuration is the most likely one. */
function findOwner(home: string, port: number): string | null {
  for (const state of runStates(home)) {
    if (state.port === port && loopState(state) === 'alive')
      return `the dashboard of ${state.configPath} listens there (process ${state.pid})`
  }
  return null
}
