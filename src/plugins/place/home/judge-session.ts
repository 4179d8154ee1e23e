// Whether a session in a place lives, by what its line wrote down. A line that was killed is started again.
import { errorText } from '../../../contract/errors.ts'
import type { RuntimeHandle } from '../../../contract/session.ts'
import { judgeLine } from '../../../core/place/line/judge-line.ts'
import { readExit } from '../../../host/launches.ts'
import { systemClock } from '../../../lib/clock.ts'
import type { Liveness } from '../../../slots/runtime.ts'
import { describeWorkLeft } from './describe-session.ts'
import { readLineSpec, readLineState } from './line-files.ts'
import { readPaused } from './paused-place.ts'
import type { PlaceContext } from './place-context.ts'
import { readHandle } from './place-handle.ts'
import { lineRuns, startLine, untilConnected } from './start-line.ts'

const LINE_UP_MS = 1_500

/** A line that was killed is started again by whoever needs it. */
export async function ensureLine(place: PlaceContext, handle: RuntimeHandle): Promise<void> {
  const launch = readHandle(handle)
  if (launch === null || readLineSpec(launch.stateDir, launch.spawnId) === null) return
  if (readExit(launch.stateDir, launch.spawnId) !== null) return
  if (lineRuns(launch, readLineState(launch.stateDir, launch.spawnId))) return
  await startLine(place.plugin, launch)
  await untilConnected(launch.stateDir, launch.spawnId, LINE_UP_MS)
}

/** From the line's files; nothing is asked of the place. */
export async function judge(place: PlaceContext, handle: RuntimeHandle): Promise<Liveness> {
  const launch = readHandle(handle)
  if (launch === null) return { state: 'unknown', why: 'the handle says nothing of a place' }
  const { stateDir, spawnId } = launch
  try {
    const spec = readLineSpec(stateDir, spawnId)
    const hasSpec = spec !== null
    if (hasSpec) await ensureLine(place, handle)
    const state = readLineState(stateDir, spawnId)
    // Read last: an end recorded in the meantime is still seen.
    const exit = readExit(stateDir, spawnId)
    const isPaused = !hasSpec && readPaused(stateDir)?.spawnId === spawnId
    const line = { place: place.name, hasSpec, isPaused, exit, isRunning: lineRuns(launch, state), memory: state }
    const left = spec && state ? describeWorkLeft(spec, state) : null
    return { ...judgeLine(line, systemClock.now().getTime()), workLeft: left ?? undefined }
  } catch (error) {
    return { state: 'unknown', why: errorText(error) }
  }
}

/** A line that was just lost is usually there again in a moment: what a person asks for waits for it. */
const LINE_BACK_MS = 8_000

export async function awaitLine(place: PlaceContext, handle: RuntimeHandle): Promise<void> {
  await ensureLine(place, handle)
  const launch = readHandle(handle)
  if (launch === null || readExit(launch.stateDir, launch.spawnId) !== null) return
  const state = readLineState(launch.stateDir, launch.spawnId)
  if (lineRuns(launch, state) && !state?.connected) await untilConnected(launch.stateDir, launch.spawnId, LINE_BACK_MS)
}
