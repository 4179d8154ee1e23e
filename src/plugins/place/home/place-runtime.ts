// A runtime whose agents run in a place, whatever the engine: the terminal is reached through the line, a process at home
// that speaks as a host on this machine would.
import type { RuntimeHandle } from '../../../contract/session.ts'
import { readExit } from '../../../host/launches.ts'
import { MAX_MESSAGE_BYTES } from '../../../host/protocol.ts'
import { oneAtATime } from '../../../lib/terminal/one-at-a-time.ts'
import { type Watch, watchIfPossible } from '../../../lib/watch-if-possible.ts'
import { isKnownAlive, type Runtime, type RuntimeWatch } from '../../../slots/runtime.ts'
import { openTerminal } from '../../runtime-process/open-terminal.ts'
import { askScreen, attachInfo } from '../../runtime-process/process-runtime.ts'
import { typeMessage } from '../../terminal-input/enter-message.ts'
import { hostHands } from '../../terminal-input/host-hands.ts'
import { createAcpPlaceRuntime, elsewhere, listNames } from './acp-place-runtime.ts'
import { writeMessage } from './ask-host.ts'
import { createSession, findSession } from './create-session.ts'
import { destroySession } from './destroy-session.ts'
import { awaitLine, ensureLine, judge } from './judge-session.ts'
import { readLineSpec } from './line-files.ts'
import { isOverProtocol, type PlaceContext } from './place-context.ts'
import { hasConversation, type LaunchHandle, lineHandle, readHandle, requireHandle } from './place-handle.ts'

const DEFAULT_LINES = 200

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
    async pressKeys(handle, keys, check) {
      const hands = await handsOf(handle)
      await oneAtATime(home, hands.name, async () => {
        await check()
        await hands.press(keys)
      })
    },
    getOutput: (handle, lines = DEFAULT_LINES) => readScreen(handle, lines),
    getStyledScreen: (handle) => readStyled(handle),
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

/** Also of an agent that has ended: its last output says why. */
async function readScreen(handle: RuntimeHandle, lines: number): Promise<string> {
  try {
    const launch = requireHandle(handle)
    const { socket } = lineHandle(launch)
    const exit = readExit(launch.stateDir, launch.spawnId)
    if (exit) return exit.screen?.split('\n').slice(-lines).join('\n') ?? ''
    return (socket && (await askScreen(socket, { lines }))) || ''
  } catch {
    // An unreadable screen is empty; whether the agent is alive is for the probe to say.
    return ''
  }
}

async function readStyled(handle: RuntimeHandle): Promise<string> {
  const launch = readHandle(handle)
  const socket = launch && lineHandle(launch).socket
  return (socket && (await askScreen(socket, { styled: true }))) || ''
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
