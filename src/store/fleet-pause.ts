// The red button of everything that ao runs for this user: one small file beside the records of all repositories. While it is
// there nothing starts a turn, and it names the agents whose processes were stopped.
import { dirname, join } from 'node:path'
import { requireOwnVersion, syncPath, writeFileAtomic } from '../lib/atomic-write.ts'
import { withLock } from '../lib/lock.ts'
import { readIfThere } from '../lib/plain-file.ts'
import { removeFile } from '../lib/remove.ts'

export interface FleetPause {
  /** `resuming`: whoever resumes it has begun, and the next one finishes what is left. */
  state: 'paused' | 'resuming'
  /** ISO 8601. */
  at: string
  by: string
  reason?: string | undefined
  /** When the loop resumes by itself. */
  until?: string | undefined
  /** Known once they were stopped. */
  stopped: StoppedAgent[]
}

export interface StoppedAgent {
  /** Directory of its project's data. */
  projectDir: string
  sessionId: string
  spawnId: string
  /** Its terminal lets nobody be stopped, so its turn was ended, and it is asked to continue. */
  interrupted?: boolean | undefined
  /** It was in a turn, so it is asked to continue if it has to be restored. */
  inTurn?: boolean | undefined
  /** It runs elsewhere, where its place stopped it. */
  place?: string | undefined
}

interface InDataDir {
  dataDir: string
}

export function pauseFile({ dataDir }: InDataDir): string {
  return join(dataDir, 'paused.json')
}

/** null: nothing is paused. A damaged file pauses, too: only a person says that work goes on. */
export function readPause(paths: InDataDir): FleetPause | null {
  const text = readIfThere(pauseFile(paths))
  if (text === null) return null
  try {
    return checked(JSON.parse(text))
  } catch {
    return { state: 'paused', at: new Date(0).toISOString(), by: 'a file that cannot be read', stopped: [] }
  }
}

/** Nothing may begin: a message is held, a start is refused. */
export function isPaused(pause: FleetPause | null): boolean {
  return pause?.state === 'paused'
}

/** `null` ends it. Resolves with what is there afterwards. */
export async function changePause(
  paths: InDataDir,
  change: (pause: FleetPause | null) => FleetPause | null,
): Promise<FleetPause | null> {
  const file = pauseFile(paths)
  return withLock(`${file}.lock`, () => {
    requireOwnVersion(file)
    const after = change(readPause(paths))
    if (after !== null) writeFileAtomic(file, JSON.stringify(after, null, 2))
    else {
      removeFile(file)
      syncPath(dirname(file))
    }
    return after
  })
}

function checked(value: unknown): FleetPause {
  const { state, at, by, reason, until, stopped } = value as Partial<FleetPause>
  const isTime = (text: unknown) => typeof text === 'string' && !Number.isNaN(Date.parse(text))
  if ((state !== 'paused' && state !== 'resuming') || !isTime(at) || typeof by !== 'string') throw new Error('damaged')
  return {
    state,
    at: at!,
    by,
    ...(typeof reason === 'string' && { reason }),
    ...(isTime(until) && { until: until! }),
    stopped: Array.isArray(stopped) ? stopped.filter(isStopped) : [],
  }
}

function isStopped(value: unknown): value is StoppedAgent {
  const { projectDir, sessionId, spawnId } = (value ?? {}) as Partial<StoppedAgent>
  return [projectDir, sessionId, spawnId].every((one) => typeof one === 'string' && one !== '')
}
