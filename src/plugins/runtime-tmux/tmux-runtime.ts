// The tmux runtime: one session per agent on a private server, addressed exactly.
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { isSafeName, shownName } from '../../contract/ids.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { isInLineMode } from '../../lib/process/line-mode.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import type { AttachInfo, Liveness, Runtime, RuntimeWatch } from '../../slots/runtime.ts'
import { recordsTerminals } from '../../store/recording/records-terminals.ts'
import { enterMessage, pressChecked } from '../terminal-input/enter-message.ts'
import { oneAtATime } from '../terminal-input/one-at-a-time.ts'
import { createControlPool } from './control/control-pool.ts'
import { watchSessions } from './control/watch-sessions.ts'
import { startTmuxSession } from './create-session.ts'
import { destroySession } from './destroy-session.ts'
import { findTmuxSession } from './find-session.ts'
import { openTerminal, type TerminalSource } from './open-terminal.ts'
import { judge, listPanes, listSettledPanes, type PaneList } from './pane-list.ts'
import { readScreens, tidy } from './read-screens.ts'
import { askTmux, environmentForTmux, type TmuxServer } from './tmux-command.ts'
import { paneTarget, readHandle, serverOf, type TmuxHandle } from './tmux-handle.ts'
import { tmuxInput } from './tmux-input.ts'
import type { TmuxOptions } from './tmux-options.ts'

/** Shorter than callers wait for an answer, so that "unknown" comes with its reason. */
const PROBE_TIMEOUT_MS = 1_900
const MAX_MESSAGE_BYTES = 1024 * 1024

export function createTmuxRuntime(options: TmuxOptions, context: PluginContext): Runtime {
  const controls = createControlPool()
  const server: TmuxServer = {
    address: ['-L', options.socket],
    configFile: join(context.home, '.ao', 'tmux.conf'),
    env: environmentForTmux(context.env),
    openClients: controls,
  }
  const watch = (onChange: (names: string[]) => void) =>
    watchSessions({ server, controls, timeoutMs: PROBE_TIMEOUT_MS }, onChange)
  const terminals: TerminalSource = {
    server,
    controls,
    feeds: new Map(),
    watch,
    probe: async (handle) => (await probe(server, [handle])).get(handle.id)!,
  }
  let early: Promise<PaneList> | null = null
  return {
    name: 'tmux',
    maxMessageBytes: MAX_MESSAGE_BYTES,
    async create(launch) {
      const handle = await startTmuxSession(server, launch)
      if (recordsTerminals(context.env)) (await recorderPart()).recordSession(context, handle)
      return handle
    },
    find: (launch) => findTmuxSession(server, launch),
    async destroy(handle, { force = false, onLeftRunning } = {}) {
      const target = readHandle(handle)
      await destroySession(serverOf(server, target), target, {
        graceMs: force ? 0 : options.graceMs,
        onLeftRunning,
      })
      await (await import('./recorder/finish-recording.ts')).finishRecording(context, target)
    },
    async sendMessage(handle, text, how) {
      const target = readHandle(handle)
      const input = tmuxInput(serverOf(server, target), target)
      await oneAtATime(context.home, target.name, () => enterMessage(input, text, how))
    },
    async pressKeys(handle, keys, check) {
      const target = readHandle(handle)
      const input = tmuxInput(serverOf(server, target), target)
      await oneAtATime(context.home, target.name, () => pressChecked(input, keys, check))
    },
    getOutput: async (handle, lines) => (isOurs(handle) ? readScreen(server, readHandle(handle), lines) : ''),
    getStyledScreen: async (handle) => (isOurs(handle) ? readStyled(server, readHandle(handle)) : ''),
    isInLineMode: async (handle) => (isOurs(handle) ? isInLineMode(readHandle(handle).agent) : null),
    getOutputs: (handles, lines = DEFAULT_LINES) =>
      readScreens(server, handles.filter(isOurs), {
        lines,
        timeoutMs: PROBE_TIMEOUT_MS,
        readOne: (handle) => readScreen(server, handle, lines),
      }),
    async isAlive(handle) {
      const liveness = (await probe(server, [handle])).get(handle.id)
      if (liveness?.state === 'alive') return true
      if (liveness?.state === 'dead') return false
      throw new AoError(
        'RUNTIME_FAILED',
        `Whether ${shownName(handle.id)} is alive could not be found out: ${liveness?.why}`,
      )
    },
    prepareProbe: () => {
      early = listPanes(server, PROBE_TIMEOUT_MS)
    },
    async probe(handles) {
      const list = await early
      early = null
      return (list && judgeEarly(list, handles)) ?? probe(server, handles)
    },
    getAttachInfo: async (handle) => attachInfo(server, readHandle(handle)),
    watch: (onChange) => keepRecorder(context, watch(onChange)),
    openTerminal: (handle, viewer) => openTerminal(terminals, handle, viewer),
    listNames: () => listNames(server),
  }
}

async function probe(server: TmuxServer, handles: RuntimeHandle[]): Promise<Map<string, Liveness>> {
  const [usable, strange] = [handles.filter(isOurs), handles.filter((handle) => !isOurs(handle))]
  const bySocket = Map.groupBy(usable.map(readHandle), (handle) => handle.socket)
  const answers = await Promise.all(
    [...bySocket.values()].map(async (group) => {
      const list = await listSettledPanes(serverOf(server, group[0]!), PROBE_TIMEOUT_MS)
      const panes = Map.groupBy(list.kind === 'panes' ? list.panes : [], ({ session }) => session)
      return group.map((handle): [string, Liveness] => [
        handle.name,
        list.kind === 'unknown' ? noAnswer(list.why) : judge(panes.get(handle.name) ?? [], handle),
      ])
    }),
  )
  const unknown = strange.map(({ id }): [string, Liveness] => [
    id,
    { state: 'unknown', why: 'no name of a tmux session' },
  ])
  return new Map([...answers.flat(), ...unknown])
}

/** What its agent was last seen doing says nothing about now. */
function noAnswer(why: string): Liveness {
  const reason = `the tmux server does not answer: ${why}. If it stays so, look at its process with: pgrep -af 'tmux.* -L ao'`
  return { state: 'unknown', why, agent: { place: 'tmux', why: reason, since: null, unreachable: false } }
}

/** Loaded late: most commands start nothing. */
const recorderPart = () => import('./recorder/start-recorder.ts')
const RECORDER_CHECK_MS = 5_000

/** Whoever stays and watches sessions also starts their recorder again after it was killed. */
function keepRecorder(context: PluginContext, watch: RuntimeWatch): RuntimeWatch {
  let checkedAt = Number.NEGATIVE_INFINITY
  return {
    follow(handles) {
      watch.follow(handles)
      if (performance.now() - checkedAt < RECORDER_CHECK_MS) return
      checkedAt = performance.now()
      void recorderPart().then(({ continueRecording }) => continueRecording(context))
    },
    close: () => watch.close(),
  }
}

/** Only when it proves that all of them are alive: one that is missing may have been started after the list was made. */
function judgeEarly(list: PaneList, handles: RuntimeHandle[]): Map<string, Liveness> | null {
  if (list.kind === 'unknown' || !handles.every(isOurs)) return null
  const panes = Map.groupBy(list.panes, ({ session }) => session)
  const answers = new Map<string, Liveness>()
  for (const handle of handles.map(readHandle)) {
    const own = panes.get(handle.name) ?? []
    if (handle.socket !== undefined && own[0]?.socket !== handle.socket) return null
    const liveness = judge(own, handle)
    if (liveness.state !== 'alive') return null
    answers.set(handle.name, liveness)
  }
  return answers
}

function isOurs(handle: RuntimeHandle): boolean {
  return isSafeName(handle.id)
}

const DEFAULT_LINES = 200

/** Also of an agent that has ended: its last output says why. */
async function readScreen(server: TmuxServer, handle: TmuxHandle, lines = DEFAULT_LINES): Promise<string> {
  const args = ['capture-pane', '-p', '-J', '-S', `-${lines}`, '-t', paneTarget(handle)]
  const answer = await askTmux(serverOf(server, handle), [args], PROBE_TIMEOUT_MS)
  if (answer.kind !== 'done') return ''
  return tidy(answer.stdout, lines)
}

async function readStyled(server: TmuxServer, handle: TmuxHandle): Promise<string> {
  const args = ['capture-pane', '-p', '-e', '-t', paneTarget(handle)]
  const answer = await askTmux(serverOf(server, handle), [args], PROBE_TIMEOUT_MS)
  return answer.kind === 'done' ? answer.stdout : ''
}

async function listNames(server: TmuxServer): Promise<string[]> {
  const list = await listPanes(server, PROBE_TIMEOUT_MS)
  if (list.kind === 'panes') return [...new Set(list.panes.map(({ session }) => session))]
  throw new AoError('RUNTIME_FAILED', `What runs in tmux could not be found out: ${list.why}`)
}

function attachInfo(server: TmuxServer, handle: TmuxHandle): AttachInfo {
  const program = ['tmux', '-u', ...serverOf(server, handle).address]
  const target = ['-t', `=${handle.name}`]
  return {
    type: 'tmux',
    target: handle.name,
    command: [...program, 'attach-session', ...target],
    readOnlyCommand: [...program, 'attach-session', '-r', ...target],
    // When it is set, tmux refuses to run inside the user's own tmux.
    environment: { TMUX: '' },
  }
}
