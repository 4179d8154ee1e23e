// `ao status --watch`: refreshes when a session's record changes, and periodically for what changes elsewhere.
import { type FSWatcher, mkdirSync, watch } from 'node:fs'
import { errorText } from '../../../contract/errors.ts'
import type { Io } from '../../print/io.ts'
import { createScreen } from '../../print/screen.ts'
import { toSessionJson } from '../../print/session-json.ts'
import { readStatus, type StatusReport, type StatusView, statusLines, toStatusJson } from '../lists/status-list.ts'
import type { Ao } from '../open-ao.ts'

/** An agent's own files are outside our directories; so is the clock that makes a session stuck. */
const SAFETY_NET_MS = 2_000
/** Changes within this time are one. */
const SETTLE_MS = 50

export async function watchStatus(view: StatusView, io: Io): Promise<number> {
  const show = view.json ? createJsonLines(io) : io.isTerminal ? createLiveView(view, io) : createPlainView(view, io)
  const changes = watchRecords(view, io)
  try {
    while (!io.stopped.aborted) {
      show(await readStatus(view))
      await changes.next(io.stopped)
    }
  } finally {
    changes.close()
  }
  return 0
}

type Show = (report: StatusReport) => void

function createLiveView(view: StatusView, io: Io): Show {
  const screen = createScreen(io)
  io.onInterrupt(screen.leave)
  return (report) => screen.draw(statusLines(view, report, io, io.height()))
}

function createPlainView(view: StatusView, io: Io): Show {
  return onlyWhenChanged((report) => {
    io.print(`--- ${io.clock.now().toISOString()}`)
    io.printLines(statusLines(view, report, io, Number.POSITIVE_INFINITY))
  })
}

function createJsonLines(io: Io): Show {
  return onlyWhenChanged((report) => {
    const line = { at: io.clock.now().toISOString(), ...toStatusJson(report) }
    io.write(`${JSON.stringify(line)}\n`)
  })
}

/** Times and costs change constantly; on their own they are not a change. */
function onlyWhenChanged(show: Show): Show {
  let before = ''
  return (report) => {
    const sessions = report.sessions.map(toSessionJson)
    const now = JSON.stringify([
      report.notices,
      sessions.map(({ lastActivityAt: _at, cost: _cost, ...meaning }) => meaning),
    ])
    if (now === before) return
    before = now
    show(report)
  }
}

export interface Changes {
  /** Resolves at the next change, or when a refresh is due anyway. */
  next(stopped: AbortSignal): Promise<void>
  close(): void
}

export function watchRecords({ ao, projectId }: Pick<StatusView, 'ao' | 'projectId'>, io: Io): Changes {
  // A change while the sessions are being read is remembered until the next wait.
  let changed = false
  let wake: () => void = () => undefined
  const onChange = () => {
    changed = true
    setTimeout(() => wake(), SETTLE_MS)
  }
  const ids = projectId === undefined ? Object.keys(ao.config.projects) : [projectId]
  const watchers = ids.flatMap((id) => watchDirectory(ao, ao.paths.project(id).sessions, onChange))
  io.onResize(onChange)
  return {
    async next(stopped) {
      if (!changed) await wakeUpCall(stopped, (call) => (wake = call))
      changed = false
    },
    close: () => {
      for (const watcher of watchers) watcher.close()
    },
  }
}

function watchDirectory(ao: Pick<Ao, 'log'>, directory: string, onChange: () => void): FSWatcher[] {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const watcher = watch(directory, onChange)
    watcher.on('error', () => watcher.close())
    return [watcher]
  } catch (error) {
    // Without watching (a full inotify table, a read-only disk) the timer alone does it, a little later.
    ao.log.debug(`${directory} is not watched: ${errorText(error)}`)
    return []
  }
}

function wakeUpCall(stopped: AbortSignal, register: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, SAFETY_NET_MS)
    stopped.addEventListener('abort', done)
    register(done)
    function done(): void {
      clearTimeout(timer)
      stopped.removeEventListener('abort', done)
      resolve()
    }
  })
}
