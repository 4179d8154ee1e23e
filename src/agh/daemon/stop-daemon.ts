// Ends the daemon, with its sessions or without. Busy is not frozen: one that makes progress is waited for.
import { LEAVES_SINCE } from '../../contract/agh/protocol.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { plural } from '../../core/text/format-age.ts'
import { sleep } from '../../lib/clock.ts'
import {
  cpuTicks,
  identify,
  isSuspended,
  type ProcessIdentity,
  processState,
} from '../../lib/process/process-identity.ts'
import { signal } from '../../lib/process/process-tree.ts'
import type { AghPaths } from '../paths.ts'
import { listSessionIds, readMeta } from '../store/meta-file.ts'
import { readDaemonFile } from './daemon-file.ts'
import { daemonStatus } from './daemon-status.ts'

/** How long a daemon must neither answer nor do anything before it is taken for frozen. */
const FROZEN_MS = 10_000
/** The longest wait for one that is busy and stops no further session. */
const STOP_MS = 60_000

/** What asks the daemon to end without ending its agents. */
export const LEAVE_SIGNAL = 'SIGUSR2'

export interface StopDaemonOptions {
  /** They go on, and the next daemon continues their sessions. */
  keepAgents?: boolean
  /** Called now and then with the number of sessions that are still to be stopped. */
  onWait?(left: number): void
}

/** false: no daemon was running. A frozen one is killed: everything it acknowledged is on disk. */
export async function stopDaemon(paths: AghPaths, options: StopDaemonOptions = {}): Promise<boolean> {
  const daemon = await findDaemon(paths)
  if (!daemon) return false
  const { identity } = daemon
  if (options.keepAgents && daemon.protocol < LEAVES_SINCE) throw cannotLeave(paths)
  signal(identity, options.keepAgents ? LEAVE_SIGNAL : 'SIGTERM')
  let left = Number.POSITIVE_INFINITY
  for (let progress = performance.now(); performance.now() - progress < STOP_MS; ) {
    const before = cpuTicks(identity.pid)
    if (await endsWithin(identity, FROZEN_MS)) return true
    if (await isFrozen(paths, identity, before)) {
      signal(identity, 'SIGKILL')
      if (await endsWithin(identity, FROZEN_MS)) return true
    }
    const unstopped = unstoppedSessions(paths).length
    if (unstopped < left) progress = performance.now()
    left = unstopped
    options.onWait?.(left)
  }
  throw new AoError(
    'TIMEOUT',
    `The daemon (pid ${identity.pid}) has stopped no further session for ${STOP_MS / 1_000} s`,
    {
      hint: `See ${paths.log}; as a last resort: kill -9 ${identity.pid} (its sessions are repaired at the next start)`,
    },
  )
}

/** Those that are not stopped according to their files. One whose file cannot be read is not counted: nobody can tell. */
export function unstoppedSessions(paths: AghPaths): string[] {
  return listSessionIds(paths).filter((id) => {
    try {
      return readMeta(paths, id).state !== 'stopped'
    } catch {
      // Damaged, and reported as such by doctor and list.
      return false
    }
  })
}

async function endsWithin(identity: ProcessIdentity, ms: number): Promise<boolean> {
  for (const deadline = performance.now() + ms; performance.now() < deadline; ) {
    if (processState(identity) === 'dead') return true
    await sleep(25)
  }
  return false
}

/** It listens until its sessions have ended, and one that is too busy to answer uses the processor. */
async function isFrozen(paths: AghPaths, { pid }: ProcessIdentity, ticksBefore: number | null): Promise<boolean> {
  if (isSuspended(pid)) return true
  const late = AbortSignal.timeout(FROZEN_MS)
  await daemonStatus(paths, late).catch((error: unknown) => errorText(error))
  return late.aborted && cpuTicks(pid) === ticksBefore
}

const ANSWER_MS = 3_000

/** From its file or, if that is missing or belongs to an earlier daemon, from the daemon itself. */
async function findDaemon(paths: AghPaths): Promise<{ identity: ProcessIdentity; protocol: number } | null> {
  const written = readDaemonFile(paths)
  if (written && processState(written.identity) !== 'dead') return written
  const status = await daemonStatus(paths, AbortSignal.timeout(ANSWER_MS))
  const identity = status && identify(status.pid)
  return identity && { identity, protocol: status.protocol ?? 1 }
}

function cannotLeave(paths: AghPaths): AoError {
  const active = plural(unstoppedSessions(paths).length, 'active session')
  return new AoError(
    'DAEMON_OLDER',
    'The running agh daemon is older than this command and cannot leave its agents at work',
    {
      hint: `When its ${active} may be interrupted: agh daemon stop; continue each with: agh session resume <session>`,
    },
  )
}
