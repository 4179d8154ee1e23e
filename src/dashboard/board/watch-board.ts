// Which files mean that the board or a list has changed. Anything that cannot be watched is found by a slow poll of everything.
import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Notice, PAUSED_NOTICE } from '../../contract/dashboard/cards.ts'
import type { Stale } from '../../contract/dashboard/stream.ts'
import { errorText } from '../../contract/errors.ts'
import { describePause } from '../../core/status/describe-pause.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import { describeUnheard, NOTIFIER_SURFACE } from '../../lifecycle/notify/unheard.ts'
import { createWatchedPaths, type WatchTarget } from '../../lifecycle/watch/watch-paths.ts'
import { type ProjectWatch, watchProject } from '../../lifecycle/watch/watch-project.ts'
import type { ManagerContext } from '../../manager/context.ts'
import { pauseFile, readPause } from '../../store/fleet-pause.ts'
import { readObservability } from '../../store/observability/summary.ts'
import { savedFile } from '../../store/saved.ts'
import { forgetIssues } from '../issues/issue-list.ts'
import { forgetPulls } from '../pulls/pull-reading.ts'
import type { BoardKeeper } from './live-board.ts'

/** A safety net only: the files report changes. */
const READ_ALL_MS = 10_000
/** Sessions come and agents create their files at any time. */
const REFRESH_MS = 2_000
/** The counters of ao's own activity change with every request. */
const NUMBERS_MS = 2_000

export function watchBoard(board: BoardKeeper, context: ManagerContext): { close(): void } {
  const projects = Object.values(context.config.projects)
  const watches: ProjectWatch[] = []
  const lists = createWatchedPaths((why) => context.log.debug(why))
  let isNews = true
  let closed = false
  const touch = (sessionId: string) => {
    isNews = true
    board.touch(sessionId)
  }
  for (const project of projects) {
    const pullsChanged = () => {
      forgetPulls(context, project.id)
      board.publishStale({ what: 'pulls', projectId: project.id })
    }
    const watch = watchProject({ context, health: () => undefined }, project, (trigger) => {
      if ('forge' in trigger) pullsChanged()
      if (!('session' in trigger)) return
      touch(trigger.session)
      if (watch.isNew([trigger.session])) void refresh(watch)
    })
    watches.push(watch)
    // Until its files were watched, nothing that happened to them was reported.
    void refresh(watch).then(() => closed || pullsChanged())
  }
  async function refresh(watch: ProjectWatch): Promise<void> {
    if (closed) return
    try {
      await watch.refresh()
      // It may have been closed while its files were being searched for.
      if (closed) watch.close()
    } catch (error) {
      context.log.debug(`some changes are noticed later: ${errorText(error)}`)
    }
  }
  const setLists = () => {
    try {
      lists.set([
        ...projects.flatMap(({ id }) => listTargets(board, context, id, touch)),
        observabilityTarget(board, context),
        fleetTarget(board, context),
      ])
    } catch (error) {
      // A directory that cannot be created: the board itself reports what it cannot read.
      context.log.debug(`some lists are not watched: ${errorText(error)}`)
    }
  }
  setLists()
  publishHealth(board, context)
  publishPause(board, context)
  const timers = [
    setInterval(() => board.touchAll(), READ_ALL_MS),
    setInterval(() => {
      if (isNews) {
        setLists()
        for (const watch of watches) void refresh(watch)
      }
      isNews = false
    }, REFRESH_MS),
  ]
  return {
    close() {
      closed = true
      for (const timer of timers) clearInterval(timer)
      for (const watch of watches) watch.close()
      lists.close()
    },
  }
}

function listTargets(
  board: BoardKeeper,
  context: ManagerContext,
  projectId: string,
  touch: (sessionId: string) => void,
): WatchTarget[] {
  const store = context.store(projectId)
  const { paths } = store
  const issues = join(paths.dir, 'issues')
  // Created before the first one, so that the first one is noticed too.
  store.ensure()
  mkdirSync(issues, { recursive: true, mode: 0o700 })
  const list = (path: string, what: Stale['what']): WatchTarget => ({
    path,
    onChange(name) {
      if (name?.startsWith('.')) return
      if (what === 'issues') forgetIssues(context, projectId)
      board.publishStale({ what, projectId })
    },
  })
  return [
    {
      path: paths.history,
      onChange(name) {
        if (name?.endsWith('.jsonl')) touch(name.slice(0, -'.jsonl'.length))
        board.wake()
      },
    },
    list(paths.archive, 'archive'),
    list(paths.feedback, 'feedback'),
    list(issues, 'issues'),
  ]
}

/** Reported immediately and then periodically, always ending with the latest state. */
function observabilityTarget(board: BoardKeeper, context: ManagerContext): WatchTarget {
  mkdirSync(context.paths.observability, { recursive: true, mode: 0o700 })
  let timer: NodeJS.Timeout | null = null
  let isNews = false
  const publish = () => {
    isNews = false
    publishHealth(board, context)
    board.publishStale({ what: 'observability' })
    timer = setTimeout(() => {
      timer = null
      if (isNews) publish()
    }, NUMBERS_MS)
    timer.unref()
  }
  return {
    path: context.paths.observability,
    onChange(name) {
      // Our own counters change because somebody views them.
      if (name?.startsWith('dashboard-') || name?.startsWith('.')) return
      isNews = true
      if (timer === null) publish()
    },
  }
}

function publishHealth(board: BoardKeeper, context: ManagerContext): void {
  try {
    board.setNotices(isHealthNotice, board.read().loopRunning ? healthNotices(context) : [])
  } catch (error) {
    context.log.debug(`the loop's health could not be read: ${errorText(error)}`)
  }
}

/** The red button, and what a person keeps at hand. */
function fleetTarget(board: BoardKeeper, context: ManagerContext): WatchTarget {
  const { dataDir } = context.paths
  const own = [pauseFile(context.paths), savedFile(context.paths)].map((file) => basename(file))
  return {
    path: dataDir,
    onChange(name) {
      if (name !== null && !own.includes(name)) return
      publishPause(board, context)
      board.touchAll()
    },
  }
}

function publishPause(board: BoardKeeper, { paths }: ManagerContext): void {
  const pause = readPause(paths)
  const text = pause && cut(visibleLine(describePause(pause)))
  board.setNotices(({ id }) => id === PAUSED_NOTICE, text === null ? [] : [{ id: PAUSED_NOTICE, level: 'warn', text }])
}

const HEALTH = 'health '
const LONGEST_NOTICE = 300

/** Only problems of the loop, such as an unresponsive forge: a command's problem ends with the command. */
function healthNotices({ paths, config }: Pick<ManagerContext, 'paths' | 'config'>): Notice[] {
  const { health } = readObservability(paths)
  const unheard = describeUnheard(config, health)
  const problems = Object.entries(health).flatMap(([surface, { status, reason, component }]): Notice[] => {
    // One failing notifier among several is shown in the settings and with the loop's health.
    if (status === 'ok' || component !== 'lifecycle' || surface.startsWith(NOTIFIER_SURFACE)) return []
    return [{ id: `${HEALTH}${surface}`, level: status, text: cut(`${surface}: ${reason ?? status}`) }]
  })
  if (unheard === null) return problems
  return [{ id: `${HEALTH}unheard`, level: 'error', text: cut(unheard), fix: '/settings#notifiers' }, ...problems]
}

function cut(text: string): string {
  return text.slice(0, LONGEST_NOTICE)
}

function isHealthNotice({ id }: Notice): boolean {
  return id.startsWith(HEALTH)
}
