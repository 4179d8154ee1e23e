// Agents are observed as soon as they end, where their runtime can report it. The poll remains for those that cannot.
import { errorText } from '../../contract/errors.ts'
import type { RuntimeHandle, Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import type { RuntimeWatch } from '../../slots/runtime.ts'
import type { LoopContext } from '../loop/loop-context.ts'

export interface WatchedRuntimes {
  /** Only these. */
  follow(sessions: Session[]): Promise<void>
  /** These as well. */
  add(sessions: Session[]): Promise<void>
  close(): void
}

interface Followed {
  sessionId: string
  handle: RuntimeHandle
}

export function watchRuntimes(loop: Pick<LoopContext, 'context'>, onEnd: (sessionId: string) => void): WatchedRuntimes {
  const watches = new Map<string, RuntimeWatch>()
  let followed = new Map<string, Followed>()
  let isClosed = false

  async function open(name: string): Promise<void> {
    if (watches.has(name)) return
    try {
      const runtime = await loop.context.registry.find('runtime', name)
      if (isClosed || watches.has(name) || !runtime?.watch) return
      const report = (id: string) => {
        for (const { sessionId, handle } of followed.values()) {
          if (handle.runtimeName === name && handle.id === id) onEnd(sessionId)
        }
      }
      watches.set(
        name,
        runtime.watch((ids) => ids.forEach(report)),
      )
    } catch (error) {
      loop.context.log.debug(`ends of agents in ${name} are found by the poll: ${errorText(error)}`)
    }
  }

  async function use(next: Map<string, Followed>): Promise<void> {
    followed = next
    const handles = Map.groupBy(
      [...next.values()].map(({ handle }) => handle),
      ({ runtimeName }) => runtimeName,
    )
    for (const name of handles.keys()) await open(name)
    for (const [name, watch] of watches) watch.follow(handles.get(name) ?? [])
  }

  return {
    follow: (sessions) => use(toFollow(sessions)),
    async add(sessions) {
      const added = toFollow(sessions)
      if ([...added.keys()].some((key) => !followed.has(key))) await use(new Map([...followed, ...added]))
    },
    close() {
      isClosed = true
      for (const watch of watches.values()) watch.close()
      watches.clear()
    },
  }
}

/** By launch: a restored session is another one. */
function toFollow(sessions: Session[]): Map<string, Followed> {
  return new Map(
    sessions.flatMap(({ id, status, runtimeHandle: handle }) => {
      if (!handle || isTerminalSession({ status, activity: null })) return []
      return [[`${id} ${JSON.stringify(handle)}`, { sessionId: id, handle }] as const]
    }),
  )
}
