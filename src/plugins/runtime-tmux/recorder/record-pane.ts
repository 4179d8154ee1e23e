// Records one tmux session until it ends.
import { StringDecoder } from 'node:string_decoder'
import { REDRAW_FROM_HERE } from '../../../core/recording/redraw.ts'
import { secretValues } from '../../../core/text/redact.ts'
import { sleep, systemClock } from '../../../lib/clock.ts'
import { ancestorEnvironments } from '../../../lib/process/ancestor-environments.ts'
import type { LiveTerminal, Runtime } from '../../../slots/runtime.ts'
import { endOf, joinParts, readRecording } from '../../../store/recording/read-recording.ts'
import { createRecorder, type Recorder } from '../../../store/recording/recorder.ts'
import { recordingDirectory } from '../../../store/recording/recording-files.ts'
import type { TmuxHandle } from '../pane-list.ts'
import { RESET } from '../screen-picture.ts'
import { type Registration, unregister } from './registrations.ts'

const RETRY_MS = 1_000
/** Every attempt costs tmux a client. */
const LONGEST_RETRY_MS = 30_000

/** Resolves when its end is recorded and it is no longer registered. */
export async function recordPane(runtime: Runtime, { handle, target }: Registration, home: string): Promise<void> {
  const directory = recordingDirectory(target.stateDir)
  const before = lastOf(directory, target.spawnId)
  if (!before.isOver) {
    for (let wait = RETRY_MS; ; wait = Math.min(2 * wait, LONGEST_RETRY_MS)) {
      if (await follow()) break
      const liveness = (await runtime.probe?.([handle]))?.get(handle.id)
      if (liveness?.state === 'dead') break
      await sleep(wait)
    }
  }
  unregister(home, target)

  /** false: its terminal could not be opened. */
  async function follow(): Promise<boolean> {
    const over = Promise.withResolvers<string>()
    const decoder = new StringDecoder('utf8')
    let recorder: Recorder | null = null
    let live: LiveTerminal
    try {
      live = await runtime.openTerminal!(handle, {
        onData: (bytes) => recorder?.output(decoder.write(Buffer.from(bytes))),
        onPicture: (bytes) => recorder?.output(overWhatIsThere(Buffer.from(bytes).toString('utf8'))),
        onSize: (size) => recorder?.resize(size),
        onEnd: over.resolve,
      })
    } catch {
      // Its session is gone, or tmux does not answer: the probe distinguishes them.
      return false
    }
    recorder = createRecorder({
      directory,
      launch: target.spawnId,
      size: live.size,
      secrets: secretsOf(target),
      redraw() {
        // The picture that is asked for follows as output.
        live.pause()
        live.resume()
        return null
      },
      now: () => systemClock.now().getTime(),
    })
    if (before.at !== null) recorder.gap('the recorder was not running', before.at)
    await recorder.end((await over.promise).replace(/^the agent ended: /, ''))
    return true
  }
}

/** What this launch has already: its last moment, and whether its end is there. */
function lastOf(directory: string, launch: string): { at: number | null; isOver: boolean } {
  const recording = readRecording(directory, 1)
  if (recording.parts.at(-1)?.header.launch !== launch) return { at: null, isOver: false }
  const { startedAt } = recording.parts.at(-1)!.header
  return { at: joinParts(recording).at(-1)?.at ?? startedAt, isOver: endOf(recording) !== null }
}

const ALTERNATE = '\u001b[?1049h'

function overWhatIsThere(picture: string): string {
  const drawn = picture.startsWith(RESET) ? picture.slice(RESET.length) : picture
  // The screen below the second one is not part of the picture, and stays.
  return drawn.startsWith(ALTERNATE)
    ? `\u001b[!p\u001b[0m${ALTERNATE}\u001b[2J${drawn.slice(ALTERNATE.length)}`
    : REDRAW_FROM_HERE + drawn
}

/** Values in the agent's environment. It has one of its own only after the shell that starts it became the agent. */
function secretsOf({ agent, spawnId }: TmuxHandle): () => readonly string[] {
  let cached: readonly string[] | null = null
  return () => {
    if (cached !== null || !agent) return cached ?? []
    const [environment] = ancestorEnvironments(agent.pid)
    const found = environment ? secretValues(environment) : []
    if (environment?.AO_SPAWN_ID === spawnId) cached = found
    return found
  }
}
