// The host of a session's agent, as its files say.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AghPaths } from '../../src/agh/paths.ts'
import { type HostRecord, readHostRecord } from '../../src/host/files.ts'
import { type ProcessIdentity, parseIdentity, processState } from '../../src/lib/process/process-identity.ts'
import { waitFor } from '../support/wait-for.ts'

/** null: it has left. */
export function hostDirectoryOf(paths: AghPaths, sessionId: string): string | null {
  const directory = join(paths.sessions, sessionId)
  const name = readdirSync(directory).find((one) => one.startsWith('host-'))
  return name ? join(directory, name) : null
}

export function hostOf(paths: AghPaths, sessionId: string): HostRecord | null {
  const directory = hostDirectoryOf(paths, sessionId)
  return directory === null ? null : readHostRecord(directory)
}

export function hostIdentity(paths: AghPaths, sessionId: string): ProcessIdentity {
  return parseIdentity(hostOf(paths, sessionId)!.host)!
}

/** kill -9 */
export async function killHost(paths: AghPaths, sessionId: string): Promise<void> {
  const host = hostIdentity(paths, sessionId)
  process.kill(host.pid, 'SIGKILL')
  await waitFor('the host to be gone', () => processState(host) === 'dead')
}
