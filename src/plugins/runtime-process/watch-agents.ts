// Reports ended agents as they end: each host keeps one quiet connection open until then.
import { type HostClient, openClient } from '../../host/client.ts'
import type { RuntimeWatch } from '../../slots/runtime.ts'
import { type ProcessHandle, readHandle } from './process-handle.ts'

export function watchAgents(onChange: (names: string[]) => void): RuntimeWatch {
  const watched = new Map<string, Promise<HostClient | null>>()
  const drop = async (client: Promise<HostClient | null>) => (await client)?.drop('nobody is interested')
  return {
    follow(handles) {
      const wanted = new Map(
        handles.flatMap((handle) => {
          const target = readHandle(handle)
          return target?.socket === undefined ? [] : [[target.socket, target] as const]
        }),
      )
      for (const [path, client] of watched) {
        if (wanted.has(path)) continue
        watched.delete(path)
        void drop(client)
      }
      for (const [path, handle] of wanted) if (!watched.has(path)) watched.set(path, awaitEnd(path, handle))
    },
    close() {
      for (const client of watched.values()) void drop(client)
      watched.clear()
    },
  }

  /** The end of the connection, however it happens, is the signal: even a killed host closes it. */
  function awaitEnd(path: string, { name }: ProcessHandle): Promise<HostClient | null> {
    // Dropped by us: nobody is interested. Otherwise it stays in the map, so that an end is reported once.
    const report = () => {
      if (watched.has(path)) onChange([name])
      return null
    }
    return openClient(path, { onLost: report }).catch(report)
  }
}
