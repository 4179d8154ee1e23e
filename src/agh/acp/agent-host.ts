// The host of a session's agent: where its files are, what can be told of an agent from them, and the end of one elsewhere.
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { askHost } from '../../host/client.ts'
import { endedElsewhere, findElsewhere, sourceElsewhere } from '../../host/elsewhere.ts'
import { type HostRecord, hostDirectory, hostSocket, readExitRecord, readHostRecord } from '../../host/files.ts'
import type { EndedAgent, HostSource } from '../../host/follow.ts'
import { connectHost } from '../../host/read.ts'
import { readLeftover } from '../../host/spool.ts'
import { type ProcessState, parseIdentity, processState } from '../../lib/process/process-identity.ts'
import { type AghPaths, sessionDirectory } from '../paths.ts'

type WithProcess = Pick<SessionMeta, 'id'> & { process: NonNullable<SessionMeta['process']> }

/** Beside the session, or where whoever started its agent elsewhere keeps them. */
export function agentHostDirectory(paths: AghPaths, { id, process }: WithProcess): string {
  return process.host_directory ?? hostDirectory(sessionDirectory(paths, id), process.spawn_id)
}

/** What a reader of this agent connects to. A host of this machine either answers or is gone: it is not waited for long. */
export function agentSource(directory: string): HostSource {
  const record = readHostRecord(directory)
  if (record?.isElsewhere) return sourceElsewhere(directory)
  return {
    connect: () => connectHost(hostSocket(directory)),
    ended: () => (record === null ? null : endedHere(directory, record)),
    triesForMs: TRIES_FOR_MS,
  }
}

const TRIES_FOR_MS = 20_000

/** By its recorded end, or by that of its host, which holds its pipes. */
function endedHere(directory: string, { spawnId, host }: HostRecord): EndedAgent | null {
  const leftover = (after: number) => readLeftover(directory, after)
  const exit = readExitRecord(directory)
  if (exit?.spawnId === spawnId) {
    return { exit: { code: exit.code, signal: exit.signal }, why: 'the agent ended', leftover }
  }
  const identity = parseIdentity(host)
  const isGone = identity !== null && processState(identity) === 'dead'
  return isGone ? { exit: null, why: 'the host of the agent is gone', leftover } : null
}

/** An agent elsewhere is alive until its end is recorded. */
export function agentState({ process }: Pick<SessionMeta, 'process'>): ProcessState {
  if (process?.host_directory !== undefined) return endedElsewhere(process.host_directory) ? 'dead' : 'alive'
  const identity = parseIdentity(process?.identity ?? '')
  return identity ? processState(identity) : 'dead'
}

const STOP_EXTRA_MS = 10_000

/** Of an agent that nobody here reads. Does nothing for one that ran on this machine, or has ended. */
export async function stopElsewhere(directory: string, sessionId: string, graceMs: number): Promise<void> {
  const record = findElsewhere(directory)
  if (record === null || endedElsewhere(directory)) return
  try {
    await askHost(record.socket ?? '', graceMs + STOP_EXTRA_MS, (client) => client.stop(graceMs))
  } catch (error) {
    if (endedElsewhere(directory)) return
    throw new AoError('RUNTIME_FAILED', `The agent of session ${sessionId} cannot be reached: ${errorText(error)}`, {
      hint: 'Try again when its place can be reached',
      details: { sessionId },
      cause: error,
    })
  }
}
