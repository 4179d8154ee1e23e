// Hosts that outlived their session: its metadata cannot be read, or says that it is stopped, as after a release that did not
// know hosts. The record in the session's own directory proves that they are ours.
import { existsSync } from 'node:fs'
import { AoError } from '../../contract/errors.ts'
import { endHost } from '../../host/end.ts'
import { hostDirectories, readHostRecord } from '../../host/files.ts'
import { type ProcessIdentity, parseIdentity, processState } from '../../lib/process/process-identity.ts'
import { notStopped, stopProcesses } from '../../lib/process/process-tree.ts'
import { type AghPaths, sessionDirectory } from '../paths.ts'

/** The agents of a session that should have none, as far as they are provably running. */
export function lostAgents(paths: AghPaths, sessionId: string): ProcessIdentity[] {
  return recordsOf(paths, sessionId).flatMap(({ agent }) => (agent && processState(agent) === 'alive' ? [agent] : []))
}

/** Ends the agents, then the hosts, and removes what they kept. Resolves with the number of agents. */
export async function endLostHosts(paths: AghPaths, sessionId: string): Promise<number> {
  const agents = lostAgents(paths, sessionId)
  for (const { directory, spawnId, agent } of recordsOf(paths, sessionId)) {
    const { left } = await stopProcesses(spawnId, agent ? [agent] : [], { graceMs: 500 })
    if (left.length > 0) throw notStopped(sessionId, left)
    endHost(directory)
  }
  return agents.length
}

/** For a command that stops a session whose metadata cannot be read: its agent is ended, and the error says so. */
export async function stopDamaged(paths: AghPaths, sessionId: string, error: unknown): Promise<never> {
  if (!(error instanceof AoError) || !['METADATA_DAMAGED', 'FORMAT_NEWER'].includes(error.code)) throw error
  const ended = await endLostHosts(paths, sessionId)
  if (ended === 0) throw error
  throw new AoError(error.code, `The agent of session ${sessionId} was stopped; ${error.message}`, {
    hint: error.hint,
    details: error.details,
    cause: error,
  })
}

function recordsOf(paths: AghPaths, sessionId: string) {
  const base = sessionDirectory(paths, sessionId)
  const directories = existsSync(base) ? hostDirectories(base) : []
  return directories.flatMap((directory) => {
    const record = readHostRecord(directory)
    return record ? [{ directory, spawnId: record.spawnId, agent: parseIdentity(record.agent ?? '') }] : []
  })
}
