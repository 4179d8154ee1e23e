// Ends a session in a place: the agent is stopped, its work comes home, and only then the place is given back or paused.
import { AoError, errorText } from '../../../contract/errors.ts'
import { shownName } from '../../../contract/ids.ts'
import { filesLeft } from '../../../core/place/work-limits.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import { tryGit } from '../../../git/git.ts'
import { removeLaunch } from '../../../host/launches.ts'
import { ignoreFailure } from '../../../lib/ignore-failure.ts'
import { removeFile } from '../../../lib/remove.ts'
import type { PlaceEngine } from '../../../slots/place.ts'
import type { DestroyOptions } from '../../../slots/runtime.ts'
import type { Far } from '../reach/far.ts'
import { reachHost } from '../reach/reach-host.ts'
import { bringWorkHome, firstState, type Keep } from '../work/bring-home.ts'
import { bringConversationHome } from '../work/conversation.ts'
import { placeRef } from '../work/mirror.ts'
import { bringRecordingHome } from '../work/recording.ts'
import { type LineSpec, readLineSpec, readLineState, removeLineFiles, writeLineState } from './line-files.ts'
import { forgetPaused, readPaused, releasePaused, writePaused } from './paused-place.ts'
import type { PlaceContext } from './place-context.ts'
import type { LaunchHandle } from './place-handle.ts'
import { startLine, stopLine } from './start-line.ts'

const STOP_EXTRA_MS = 15_000

export async function destroySession(
  place: PlaceContext,
  handle: LaunchHandle,
  { force = false, onLeftRunning, pause }: DestroyOptions,
): Promise<void> {
  const { stateDir, spawnId } = handle
  const spec = readLineSpec(stateDir, spawnId)
  if (spec === null) return pause === undefined ? release(place, handle, force) : undefined
  if (pause === 'now') await requirePausable(place, spec)
  await stopLine(place.plugin, { stateDir, spawnId })
  try {
    await endThere(place, handle, spec, { force, onLeftRunning })
    await leaveThere(place, handle, { ref: spec.ref, pause })
  } catch (error) {
    if (!force) {
      // The session goes on as it was; the line is what tells us about it.
      await startLine(place.plugin, { stateDir, spawnId })
      throw error
    }
    place.plugin.log.warn(
      `${shownName(handle.name)} was given up, and something of it may be left: ${errorText(error)}`,
    )
  }
  removeFile(spec.socket)
  removeLineFiles(stateDir, spawnId)
  removeLaunch(stateDir, spawnId)
}

/** What a pause left of it. */
async function release(place: PlaceContext, handle: LaunchHandle, force: boolean): Promise<void> {
  try {
    await releasePaused(place, handle)
  } catch (error) {
    if (!force) throw error
    place.plugin.log.warn(
      `${shownName(handle.name)} was given up, and its paused place may be left: ${errorText(error)}`,
    )
    forgetPaused(handle.stateDir)
  }
}

interface Leaving {
  ref: string
  pause: DestroyOptions['pause']
}

async function leaveThere(place: PlaceContext, handle: LaunchHandle, { ref, pause }: Leaving): Promise<void> {
  const { stateDir, spawnId } = handle
  const { engine, name, type } = place
  const isPaused = async () => {
    const now = await engine.probe(ref)
    return now.state === 'gone' && now.paused === true
  }
  if (pause === 'now' || (pause === 'keep' && engine.pause && (await isPaused()))) {
    // Written before: whoever finds it paused knows whose it is.
    writePaused(stateDir, { place: name, engine: type, ref, spawnId })
    if (pause === 'now') await pauseOf(place)(ref)
    return
  }
  await engine.stop(ref)
  // Of a start whose last step was interrupted: it was this very place.
  if (readPaused(stateDir) !== null) forgetPaused(stateDir)
}

/** Before anything is ended: what cannot be paused stays as it is. */
export async function requirePausable(place: PlaceContext, { ref }: LineSpec): Promise<void> {
  await pauseOf(place)(ref, { dryRun: true })
}

function pauseOf({ engine, name }: PlaceContext): NonNullable<PlaceEngine['pause']> {
  if (engine.pause) return engine.pause
  throw new AoError('PLACE_FAILED', `${name} cannot pause its sessions`, {
    hint: 'Only kubernetes places with `sandboxTemplate` or `sandboxPool` can',
  })
}

async function endThere(
  place: PlaceContext,
  handle: LaunchHandle,
  spec: LineSpec,
  { force, onLeftRunning }: Pick<DestroyOptions, 'force' | 'onLeftRunning'>,
): Promise<void> {
  const { state } = await place.engine.probe(spec.ref)
  if (state === 'gone') return
  let far: Far
  try {
    far = await reachHost(place.engine, spec)
  } catch (error) {
    throw new AoError('PLACE_UNREACHABLE', `${shownName(handle.name)} was not ended: ${errorText(error)}`, {
      hint: 'Try again when the place can be reached, or give it up with --force; home has the work of its last turn',
      cause: error,
    })
  }
  const keep = keepIn(handle)
  try {
    const graceMs = force ? 0 : place.graceMs
    const stopped = await far.ask('POST /stop', { body: { graceMs } }, { timeoutMs: graceMs + STOP_EXTRA_MS })
    if (stopped.unproven.length > 0) onLeftRunning?.(stopped.unproven)
    await bringWorkHome(far, spec, place.plugin.env, keep)
    if (!force) requireNothingLeft(handle, keep)
    await ignoreFailure('the end of the recorded terminal did not come home', place.plugin.log, () =>
      bringRecordingHome(far, handle, keep),
    )
    await keepConversation(place, far, handle, keep)
    await forgetRef(spec, keep, place)
    await far.ask('POST /end', {})
  } finally {
    far.close()
  }
}

/** With the place these files would be gone. */
function requireNothingLeft({ name }: LaunchHandle, keep: Keep): void {
  const { left } = keep.state()
  if (!left) return
  const what = `${filesLeft(left)} there did not come home (the largest: ${visibleLine(left.largest)})`
  throw new AoError('PLACE_FAILED', `${shownName(name)} has stopped, and its place is kept: ${what}`, {
    hint: left.lfs
      ? 'Copy what git-lfs keeps there, or push it from there with: git lfs push; --force gives it up'
      : 'Commit them, have git ignore them or raise maxUntrackedMb, and try again; --force gives them up',
    details: { ...left },
  })
}

/** Without it the agent starts afresh at a restore; that is no reason to keep the place. */
async function keepConversation({ plugin }: PlaceContext, far: Far, handle: LaunchHandle, keep: Keep): Promise<void> {
  await ignoreFailure('the conversation did not come home, a restored agent continues an older one', plugin.log, () =>
    bringConversationHome(far, handle, keep),
  )
}

/** The mirror has all of it now, and whoever removes the mirror saves it first. A mirror that is not ours keeps the ref. */
async function forgetRef({ home, sessionId }: LineSpec, keep: Keep, { plugin }: PlaceContext): Promise<void> {
  if (home === null || keep.state().mirror !== null) return
  await tryGit(home.mirror, ['update-ref', '-d', placeRef(sessionId)], { env: plugin.env })
}

/** While no line runs, its state is ours to write. */
function keepIn({ stateDir, spawnId }: LaunchHandle): Keep {
  let state = readLineState(stateDir, spawnId) ?? firstState('')
  return {
    state: () => state,
    save(change) {
      state = { ...state, ...change }
      writeLineState(stateDir, spawnId, state)
    },
  }
}
