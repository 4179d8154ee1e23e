// Ends a host, whether or not it answers. Its record proves that it is ours.
import { parseIdentity, processState } from '../lib/process/process-identity.ts'
import { signal } from '../lib/process/process-tree.ts'
import { removeTree } from '../lib/remove.ts'
import { readHostRecord } from './files.ts'

/** The host of an agent that is gone. false: unknown, or elsewhere, where whoever started it ends it. */
export function killHost(directory: string): boolean {
  const record = readHostRecord(directory)
  if (record?.isElsewhere) return false
  const host = parseIdentity(record?.host ?? '')
  if (host && processState(host) === 'unknown') return false
  if (host) signal(host, 'SIGKILL')
  return true
}

/** And all that it kept. */
export function endHost(directory: string): void {
  if (killHost(directory)) removeTree(directory)
}
