// Everything that hosts of this user run now: each socket is asked for its name.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { askHost } from './host/host-client.ts'
import { socketDirectories } from './host/socket-path.ts'

const STATUS_TIMEOUT_MS = 1_900

/** Throws when a host is there but does not answer: then the list would not be the whole truth. */
export async function listHostedNames(where: { home: string; env: NodeJS.ProcessEnv }): Promise<string[]> {
  const sockets = socketDirectories(where).flatMap(socketsIn)
  const names = await Promise.all(sockets.map(nameOf))
  return names.filter((name) => name !== null).toSorted()
}

async function nameOf(socket: string): Promise<string | null> {
  const reply = await askHost(socket, { op: 'status' }, STATUS_TIMEOUT_MS)
  // The host was killed and left its socket.
  if (reply.kind === 'no-host') return null
  if (reply.kind === 'answer' && reply.answer.ok) return reply.answer.name ?? null
  throw new AoError('RUNTIME_FAILED', `The host behind ${socket} does not answer`)
}

function socketsIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.sock'))
      .map((name) => join(directory, name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
