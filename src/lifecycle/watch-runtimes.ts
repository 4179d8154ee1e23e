// Agents that end are looked at when they end, where their runtime can tell. The poll stays for those that cannot.
import { errorText } from '../contract/errors.ts'
import type { Session } from '../contract/session.ts'
import type { RuntimeWatch } from '../slots/runtime.ts'
import type { LoopContext } from './loop-context.ts'

export interface WatchedRuntimes {
  /** These and no others. */
  follow(sessions: Session[]): Promise<void>
  close(): void
}

export function watchRuntimes(loop: Pick<LoopContext, 'manager'>, onEnd: (sessionId: string) => void): WatchedRuntimes {
  const watches = new Map<string, RuntimeWatch>()
  let sessionIds = new Map<string, string>()
  let isClosed = false

  async function open(name: string): Promise<RuntimeWatch | null> {
    const known = watches.get(name)
    if (known) return known
    try {
      await loop.manager.registry.ensure('runtime', name)
      const runtime = loop.manager.registry.get('runtime', name)
      if (isClosed || !runtime?.watch) return null
      const watch = runtime.watch((ids) => {
        for (const sessionId of ids.flatMap((id) => sessionIds.get(`${name} ${id}`) ?? [])) onEnd(sessionId)
      })
      watches.set(name, watch)
      return watch
    } catch (error) {
      loop.manager.log.debug(`ends of agents in ${name} are found by the poll: ${errorText(error)}`)
      return null
    }
  }

  return {
    async follow(sessions) {
      const running = sessions.flatMap(({ id, runtimeHandle }) => (runtimeHandle ? [{ id, runtimeHandle }] : []))
      sessionIds = new Map(
        running.map(({ id, runtimeHandle: { runtimeName, id: name } }) => [`${runtimeName} ${name}`, id]),
      )
      const byRuntime = Map.groupBy(
        running.map(({ runtimeHandle }) => runtimeHandle),
        ({ runtimeName }) => runtimeName,
      )
      for (const name of byRuntime.keys()) await open(name)
      for (const [name, watch] of watches) watch.follow(byRuntime.get(name) ?? [])
    },
    close() {
      isClosed = true
      for (const watch of watches.values()) watch.close()
      watches.clear()
    },
  }
}
