// The tmux runtime: one session per agent on a private server, addressed exactly.
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { isSafeName } from '../../contract/ids.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { exec, execFailure } from '../../lib/exec.ts'
import { isInLineMode } from '../../lib/process/line-mode.ts'
import { recordsTerminals } from '../../lib/terminal/records-terminals.ts'
import { pressInto, typeMessage } from '../../lib/terminal/type-message.ts'
import { definePlugin, type OptionsSchema, type PluginContext } from '../../slots/plugin.ts'
import {
  type AttachInfo,
  isKnownAlive,
  type Liveness,
  type Runtime,
  type RuntimeWatch,
  type ScreenCheck,
} from '../../slots/runtime.ts'
import { type ControlPool, createControlPool } from './control/control-pool.ts'
import { watchSessions } from './control/watch-sessions.ts'
import { findTmuxSession, startTmuxSession } from './create-session.ts'
import { destroySession } from './destroy-session.ts'
import type { serveTerminals } from './open-terminal.ts'
import { readScreen, readScreens, readStyled, tmuxInput } from './pane-io.ts'
import {
  judge,
  listPanes,
  listSettledPanes,
  type PaneList,
  readHandle,
  serverOf,
  type TmuxHandle,
} from './pane-list.ts'
import { PROBE_TIMEOUT_MS, type TmuxServer } from './tmux-command.ts'

// Options are checked without zod: every list of sessions loads this file, and zod takes five milliseconds.
interface TmuxOptions {
  socket: string
  graceMs: number
}

const DEFAULTS: TmuxOptions = { socket: 'ao', graceMs: 3_000 }

/** What is wrong with a value; null: nothing. */
const CHECKS: Record<keyof TmuxOptions, (value: unknown) => string | null> = {
  socket: (value) => {
    if (typeof value !== 'string') return 'must be text'
    return isSafeName(value) ? null : 'may hold letters, digits, - and _ only'
  },
  graceMs: (value) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number'
    return value < 0 ? 'must not be negative' : null
  },
}

export const tmuxOptions: OptionsSchema<TmuxOptions> = {
  shape: CHECKS,
  safeParse: (value) => {
    const given = Object.entries(value as object).filter(([, one]) => one !== undefined)
    const keys = given.map(([key]) => key).filter((key) => !Object.hasOwn(CHECKS, key))
    const issues = given.flatMap(([key, one]) => {
      const message = CHECKS[key as keyof TmuxOptions]?.(one)
      return message ? [{ path: [key], message }] : []
    })
    const strange = keys.length > 0 ? [{ code: 'unrecognized_keys', message: '', path: [], keys }] : []
    if (issues.length + strange.length > 0) return { success: false, error: { issues: [...issues, ...strange] } }
    return { success: true, data: { ...DEFAULTS, ...Object.fromEntries(given) } }
  },
}

export const plugin = definePlugin({
  manifest: {
    slot: 'runtime',
    name: 'tmux',
    description: 'Runs each agent in a tmux session on a private tmux server',
  },
  options: tmuxOptions,
  create: (options, context) => createTmuxRuntime(options, context),
  async detect({ env }) {
    const result = await exec('tmux', ['-V'], { env, timeoutMs: 2_000 })
    const fix = 'Install tmux 3.0 or newer, or use: runtime: process'
    if (result.timedOut) return { ok: false, detail: execFailure('tmux', result), timedOut: true }
    if (!result.ok) return { ok: false, detail: execFailure('tmux', result), fix }
    const version = result.stdout.trim()
    return isNewEnough(version) ? { ok: true, detail: version } : { ok: false, detail: `${version} is too old`, fix }
  },
})

/**
 * `tmux 3.3a`, `tmux next-3.5`, `tmux openbsd-7.4`, `tmux master`: a version without a number is built from recent source.
 */
export function isNewEnough(version: string): boolean {
  const major = /^tmux (?:next-)?(\d+)\./.exec(version)?.[1]
  return major === undefined || Number(major) >= 3
}

const MAX_MESSAGE_BYTES = 1024 * 1024

function createTmuxRuntime(options: TmuxOptions, context: PluginContext): Runtime {
  const server: TmuxServer = {
    address: ['-L', options.socket],
    configFile: join(context.home, '.ao', 'tmux.conf'),
    env: context.env,
  }
  let pool: ControlPool | undefined
  /** For a process that stays: a short command has none. */
  const controls = () => {
    pool ??= createControlPool()
    server.openClients = pool
    return pool
  }
  const watch = (onChange: (names: string[]) => void) =>
    watchSessions({ server, controls: controls(), timeoutMs: PROBE_TIMEOUT_MS }, onChange)
  let terminals: ReturnType<typeof serveTerminals> | undefined
  const inputOf = (handle: RuntimeHandle) => {
    const target = readHandle(handle)
    return tmuxInput(serverOf(server, target), target)
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
      await (await import('./recorder/start-recorder.ts')).finishRecording(context, target)
    },
    sendMessage: async (handle, text, how) => {
      const inFront = await foregroundCheck(handle)
      const check: ScreenCheck = async (screen, before) => {
        inFront?.()
        await how?.check?.(screen, before)
      }
      return typeMessage(context.home, inputOf(handle), text, inFront ? { ...how, check } : how)
    },
    async pressKeys(handle, keys, check) {
      const inFront = await foregroundCheck(handle)
      await pressInto(context.home, inputOf(handle), keys, async () => {
        inFront?.()
        await check()
      })
    },
    getOutput: async (handle, lines) => (isOurs(handle) ? readScreen(server, readHandle(handle), lines) : ''),
    async getStyledScreen(handle) {
      if (!isOurs(handle)) return ''
      const target = readHandle(handle)
      return readStyled(serverOf(server, target), target)
    },
    isInLineMode: async (handle) => (isOurs(handle) ? isInLineMode(readHandle(handle).agent) : null),
    getOutputs: (handles, lines) => readScreens(server, handles.filter(isOurs), lines),
    isAlive: async (handle) => isKnownAlive(handle, (await probe(server, [handle])).get(handle.id)!),
    prepareProbe: () => {
      early = listPanes(server, PROBE_TIMEOUT_MS)
    },
    async probe(handles) {
      const list = await early
      early = null
      return (list && judgeEarly(list, handles)) ?? probe(server, handles)
    },
    async getAttachInfo(handle) {
      const target = readHandle(handle)
      return target.isAdopted ? (await foreignPart()).attachToAdopted(target, server.env) : attachInfo(server, target)
    },
    watch: (onChange) => keepRecorder(context, watch(onChange)),
    openTerminal: async (handle, viewer) => {
      const target = readHandle(handle)
      if (target.isAdopted) (await foreignPart()).refuseAdopted(target)
      const { serveTerminals } = await import('./open-terminal.ts')
      terminals ??= serveTerminals({ server, controls, watch, probe: (handles) => probe(server, handles) })
      return terminals(handle, viewer)
    },
    foreign: {
      list: async () => (await foreignPart()).listForeign(server, options.socket),
      take: async (...args) => (await foreignPart()).takePane(server, ...args),
    },
    listNames: () => listNames(server),
  }
}

async function probe(server: TmuxServer, handles: RuntimeHandle[]): Promise<Map<string, Liveness>> {
  const [usable, strange] = [handles.filter(isOurs), handles.filter((handle) => !isOurs(handle))]
  const bySocket = Map.groupBy(usable.map(readHandle), (handle) => handle.socket)
  const answers = await Promise.all(
    [...bySocket.values()].map(async (group) => {
      // In the user's own server nothing is run only to learn how other panes have ended.
      const ask = group.some(({ isAdopted }) => isAdopted) ? listPanes : listSettledPanes
      const list = await ask(serverOf(server, group[0]!), PROBE_TIMEOUT_MS)
      const panes = Map.groupBy(list.kind === 'panes' ? list.panes : [], ({ session }) => session)
      const panesOf = ({ name, isAdopted }: TmuxHandle) =>
        isAdopted && list.kind === 'panes' ? list.panes : (panes.get(name) ?? [])
      return group.map((handle): [string, Liveness] => [
        handle.name,
        list.kind === 'unknown' ? noAnswer(list.why) : judge(panesOf(handle), handle),
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

/** Loaded late: hardly any session was adopted. */
const foreignPart = () => import('./foreign-panes.ts')

/** Throws when the agent would not get what is typed. null: the terminal is its own, so it does. */
async function foregroundCheck(handle: RuntimeHandle): Promise<(() => void) | null> {
  const target = readHandle(handle)
  if (!target.isAdopted) return null
  const { requireForeground } = await foreignPart()
  return () => requireForeground(target)
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
