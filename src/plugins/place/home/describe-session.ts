// A session in a place in a few words: where it is, how the line is, and what home has of its work.
import type { RuntimeHandle } from '../../../contract/session.ts'
import { describeLeft, maxUntrackedBytes } from '../../../core/place/work-limits.ts'
import { readExit } from '../../../host/launches.ts'
import { type LineSpec, type LineState, readLineSpec, readLineState } from './line-files.ts'
import { readPaused } from './paused-place.ts'
import { readHandle } from './place-handle.ts'
import { lineRuns } from './start-line.ts'

export function describeSession(place: string, handle: RuntimeHandle): string[] {
  const launch = readHandle(handle)
  const spec = launch && readLineSpec(launch.stateDir, launch.spawnId)
  const state = launch && readLineState(launch.stateDir, launch.spawnId)
  const paused = launch && !spec ? readPaused(launch.stateDir) : null
  if (paused)
    return [`it is paused in ${place} (${paused.engine} ${paused.ref}): its disk is kept, and nothing runs there`]
  if (!spec) return [`it ran in ${place}, which was given back`]
  const since = state ? new Date(state.since).toISOString() : ''
  // What a line wrote before it was killed says nothing of now.
  const isRunning = launch !== null && lineRuns(launch, state)
  const line =
    state?.connected && isRunning
      ? `connected since ${since}`
      : `not connected since ${since}: ${(isRunning && state?.why) || 'no line is running; the next command starts one'}`
  const exit = readExit(launch!.stateDir, launch!.spawnId)
  const how = exit && (exit.why ?? exit.signal ?? `exit code ${exit.code}`)
  const lines = [
    how === null
      ? `it runs in ${place} (${spec.engine} ${spec.ref}), ${line}`
      : `it ran in ${place} (${spec.engine} ${spec.ref}) and ended: ${how}`,
  ]
  if (spec.home === null) return lines
  const at = state?.workAt ? `as of ${new Date(state.workAt).toISOString()}` : 'as it was sent there'
  const left = state && describeWorkLeft(spec, state)
  const work = `home has its work ${at}${state?.mirror ? `, but ${state.mirror}` : ''}`
  return [...lines, work, ...(left ? [left] : [])]
}

/** What of its work stays there. null: nothing. */
export function describeWorkLeft({ home, place, engine }: LineSpec, state: LineState): string | null {
  const { left = null, uncommittedBytes: sent = 0 } = state
  const max = maxUntrackedBytes(home?.maxUntrackedMb)
  return describeLeft({ left, sent, max }, place ?? engine)
}
