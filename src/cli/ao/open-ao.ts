// What commands need from the library: configuration, plugins, manager.
import type { OrchestratorConfig } from '../../contract/config.ts'
import type { Log } from '../../lib/log.ts'
import { runningPort } from '../../lifecycle/loop/run-state.ts'
import { createManagerContext, type ManagerContext, type SessionManagerOptions } from '../../manager/context.ts'
import { managerOf, type SessionManager } from '../../manager/session-manager.ts'
import type { Observer } from '../../store/observability/observability.ts'
import type { AoPaths } from '../../store/paths.ts'
import { canWrite } from '../../store/store-directories.ts'
import type { Io } from '../io.ts'
import { type OpenPlugins, openPlugins } from './open-plugins.ts'

export interface Ao extends OpenPlugins {
  manager: SessionManager
  /** What the manager works with; both share what they know of the records. */
  context: ManagerContext
}

/** `loaded`: the configuration, where the command has read it already. */
export async function openAo(io: Io, loaded?: OrchestratorConfig): Promise<Ao> {
  const opened = await openPlugins(io, loaded)
  const { config, paths, registry, log } = opened
  const { env, home, clock } = io
  const observe = observeAtEnd(io, paths, log)
  const dashboardPort = () => runningPort(paths)
  const context = createManagerContext({ config, registry, env, home, clock, log, observe, dashboardPort })
  return { ...opened, context, manager: managerOf(context) }
}

type Observe = NonNullable<SessionManagerOptions['observe']>

/** A read-only command loads nothing for it, unless it runs for so long that others may ask what is running. */
const LONG_COMMAND_MS = 1_000

/** What the command did goes into its snapshot at the end. */
function observeAtEnd(io: Io, paths: AoPaths, log: Log): Observe {
  const records: Array<Parameters<Observe>> = []
  let opened: Promise<Observer> | undefined
  const open = async () => {
    const { createObserver } = await import('../../store/observability/observability.ts')
    return createObserver({ component: 'cli', paths, clock: io.clock, log, failureLevel: 'info' })
  }
  const timer = setTimeout(() => {
    opened ??= open()
    void opened.then((observer) => observer.announce())
  }, LONG_COMMAND_MS)
  timer.unref()
  io.atEnd(async () => {
    clearTimeout(timer)
    if (records.length === 0) return (await opened)?.withdraw()
    // Already reported by the part that wanted to write more than this.
    if (!canWrite(paths)) return
    opened ??= open()
    const observer = await opened
    for (const [operation, observation] of records) observer.record(operation, observation)
    observer.flush()
  })
  return (...record) => void records.push(record)
}
