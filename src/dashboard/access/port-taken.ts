// What listens on a port that is not available, and what to do about it.
import { readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import { loopState, type RunState } from '../../lifecycle/loop/run-state.ts'
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
  for (const state of runStates(join(home, '.ao', 'run'))) {
    if (state.port === port && loopState(state) === 'alive')
      return `the dashboard of ${state.configPath} listens there (process ${state.pid})`
  }
  return null
}

function runStates(directory: string): RunState[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readIfThere(join(directory, name)) ?? '{}') as RunState)
  } catch {
    // It only improves the message.
    return []
  }
}
