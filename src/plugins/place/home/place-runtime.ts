// A runtime whose agents run in a place, whatever the engine: the terminal is reached through the line, a process at home
// that speaks as a host on this machine would.
import type { RuntimeHandle } from '../../../contract/session.ts'
import { hostHands } from '../../../host/hands.ts'
import { readExit } from '../../../host/launches.ts'
import { MAX_MESSAGE_BYTES } from '../../../host/protocol.ts'
import { pressInto, typeMessage } from '../../../lib/terminal/type-message.ts'
import { type Watch, watchIfPossible } from '../../../lib/watch-if-possible.ts'
import { isKnownAlive, type Runtime, type RuntimeWatch } from '../../../slots/runtime.ts'
import { openTerminal } from '../../runtime-process/open-terminal.ts'
import type { ProcessHandle } from '../../runtime-process/process-handle.ts'
import { attachInfo, lastScreen, styledScreen } from '../../runtime-process/process-runtime.ts'
import { createAcpPlaceRuntime, elsewhere, listNames } from './acp-place-runtime.ts'
import { writeMessage } from './ask-host.ts'
import { createSession, findSession } from './create-session.ts'
import { destroySession } from './destroy-session.ts'
import { awaitLine, ensureLine, judge } from './judge-session.ts'
import { readLineSpec } from './line-files.ts'
import { isOverProtocol, type PlaceContext } from './place-context.ts'
import { hasConversation, type LaunchHandle, lineHandle, readHandle, requireHandle } from './place-handle.ts'

export function createPlaceRuntime(place: PlaceContext): Runtime {
  if (isOverProtocol(place)) return createAcpPlaceRuntime(place)
  const { home } = place.plugin
  const handsOf = async (handle: RuntimeHandle) => {
    const launch = requireHandle(handle)
    await awaitLine(place, handle)
    // A line that broke comes back.
    return hostHands({ ...lineHandle(launch), isElsewhere: true })
  }
  return {
    name: place.name,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    create: (launch) => createSession(place, launch),
    find: (launch) => findSession(place, launch),
    destroy: (handle, options = {}) => destroySession(place, requireHandle(handle), options),
    sendMessage: async (handle, text, how) => typeMessage(home, await handsOf(handle), text, how),
    pressKeys: async (handle, keys, check) => pressInto(home, await handsOf(handle), keys, check),
    getOutput: async (handle, lines) => lastScreen(hostOf(handle), lines),
    getStyledScreen: async (handle) => styledScreen(hostOf(handle)),
    isAlive: async (handle) => isKnownAlive(handle, await judge(place, handle)),
    async probe(handles) {
      const answers = handles.map(async (handle) => [handle.id, await judge(place, handle)] as const)
      return new Map(await Promise.all(answers))
    },
    async getAttachInfo(handle) {
      await ensureLine(place, handle)
      return attachInfo(lineHandle(requireHandle(handle)))
    },
    watch: watchEnds,
    canResume: async (handle) => hasConversation(handle),
    async openTerminal(handle, viewer) {
      await ensureLine(place, handle)
      return openTerminal(lineHandle(requireHandle(handle)), viewer)
    },
    listNames: () => listNames(place),
    elsewhere: {
      ...elsewhere(place),
      writeMessage: (handle, id, text) => writeMessage(place, requireHandle(handle), { id, text }),
    },
  }
}

/** Without a socket once the end is recorded: nobody there needs to be waited for. null: nothing is known of a line. */
function hostOf(handle: RuntimeHandle): ProcessHandle | null {
  try {
    const launch = readHandle(handle)
    return launch && (readExit(launch.stateDir, launch.spawnId) ? launch : lineHandle(launch))
  } catch {
    // Half a file: the screen is empty until it is whole.
    return null
  }
}

const READ_EVERY_MS = 1_000

interface Followed {
  id: string
  stateDir: string
  spawnId: string
  watch: Watch | null
  reported: boolean
}

/** Ends are files: the exit that the line recorded, or no file at all after a destroy. */
function watchEnds(onChange: (ids: string[]) => void): RuntimeWatch {
  const followed = new Map<string, Followed>()
  const readAll = () => {
    for (const one of followed.values()) {
      if (one.reported || !isOver(one)) continue
      one.reported = true
      onChange([one.id])
    }
  }
  const timer = setInterval(readAll, READ_EVERY_MS)
  timer.unref()
  return {
    follow(handles) {
      const wanted = new Map<string, LaunchHandle>(
        handles.flatMap((handle) => {
          const launch = readHandle(handle)
          return launch ? [[`${launch.name} ${launch.spawnId}`, launch] as const] : []
        }),
      )
      for (const [key, { watch }] of followed) {
        if (wanted.has(key)) continue
        watch?.close()
        followed.delete(key)
      }
      for (const [key, { name, stateDir, spawnId }] of wanted) {
        if (followed.has(key)) continue
        followed.set(key, { id: name, stateDir, spawnId, watch: watchIfPossible(stateDir, readAll), reported: false })
      }
      readAll()
    },
    close() {
      clearInterval(timer)
      for (const { watch } of followed.values()) watch?.close()
      followed.clear()
    },
  }
}

function isOver({ stateDir, spawnId }: { stateDir: string; spawnId: string }): boolean {
  try {
    return readExit(stateDir, spawnId) !== null || readLineSpec(stateDir, spawnId) === null
  } catch {
    // Half a file, or none that can be read: the next reading is a second away.
    return false
  }
}
