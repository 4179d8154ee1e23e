// What a daemon leaves for others to read: daemon.json says which process it is, and whether it left its agents at work. Beside
// it, a note of the command that is restarting it, for those who wait for the next one.
import { DAEMON_PROTOCOL } from '../../contract/agh/protocol.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import {
  currentProcess,
  formatIdentity,
  mayBeAlive,
  type ProcessIdentity,
  type ProcessState,
  parseIdentity,
  processState,
} from '../../lib/process/process-identity.ts'
import { removeFile } from '../../lib/remove.ts'
import type { AghPaths } from '../paths.ts'

export interface DaemonFile {
  identity: ProcessIdentity
  protocol: number
  /** Its agents went on: the sessions continue with the next daemon. */
  left: boolean
}

interface Facts {
  started_at: string
  http: string | null
  left?: boolean
}

/** For this process, which holds the daemon's lock. */
export function writeDaemonFile(paths: AghPaths, facts: Facts): void {
  const file = { identity: formatIdentity(currentProcess()), protocol: DAEMON_PROTOCOL, ...facts }
  writeFileAtomic(paths.daemonFile, `${JSON.stringify(file)}\n`, { durable: facts.left === true })
}

/** After an orderly stop. */
export function removeDaemonFile(paths: AghPaths): void {
  removeFile(paths.daemonFile)
}

/** null: there is none, or it is damaged. */
export function readDaemonFile(paths: AghPaths): DaemonFile | null {
  try {
    const text = readIfThere(paths.daemonFile)
    if (text === null) return null
    const { identity, protocol = 1, left = false } = JSON.parse(text) as Record<string, unknown>
    const daemon = parseIdentity(String(identity))
    return daemon && { identity: daemon, protocol: Number(protocol), left: left === true }
  } catch {
    // Damaged: ask the daemon instead.
    return null
  }
}

/** none: its file is gone, as after an orderly stop. left: it ended, and its agents did not. */
export function daemonProcess(paths: AghPaths): ProcessState | 'none' | 'left' {
  const file = readDaemonFile(paths)
  if (!file) return 'none'
  const state = processState(file.identity)
  return state === 'dead' && file.left ? 'left' : state
}

/** While `act` runs, those who lost the daemon know that another one is on its way. */
export async function whileRestarting<T>(paths: AghPaths, act: () => Promise<T>): Promise<T> {
  writeFileAtomic(paths.restartFile, `${formatIdentity(currentProcess())}\n`, { durable: false })
  try {
    return await act()
  } finally {
    removeFile(paths.restartFile)
  }
}

export function isRestarting(paths: AghPaths): boolean {
  return mayBeAlive(readIfThere(paths.restartFile)?.trim() ?? '')
}
