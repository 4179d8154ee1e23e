// Notifies a long-lived process of ended sessions: agh writes it into the session's metadata, and the directory is watched.
// A killed daemon writes nothing; polling finds that.
import { type FSWatcher, watch } from 'node:fs'
import { sessionDirectory } from '../../agh/paths.ts'
import { readMeta } from '../../agh/store/meta-file.ts'
import { AoError } from '../../contract/errors.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import type { RuntimeWatch } from '../../slots/runtime.ts'
import { type AcpHandle, readHandle } from './acp-handle.ts'
import type { DaemonLink } from './daemon-link.ts'

export function watchEnds(link: DaemonLink, onChange: (handleIds: string[]) => void): RuntimeWatch {
  const watched = new Map<string, FSWatcher | null>()
  const begin = (handle: AcpHandle, key: string) => {
    const check = () => {
      if (!watched.has(key) || !hasEnded(link, handle)) return
      watched.get(key)?.close()
      // Already reported; kept so that it is not reported again.
      watched.set(key, null)
      onChange([handle.name])
    }
    watched.set(key, watchDirectory(link, handle, check))
    check()
  }
  return {
    follow(handles) {
      const wanted = new Map(ownOf(link, handles).map((one) => [keyOf(one), one]))
      for (const [key, watcher] of watched) {
        if (wanted.has(key)) continue
        watcher?.close()
        watched.delete(key)
      }
      for (const [key, handle] of wanted) if (!watched.has(key)) begin(handle, key)
    },
    close() {
      for (const watcher of watched.values()) watcher?.close()
      watched.clear()
    },
  }
}

function ownOf(link: DaemonLink, handles: RuntimeHandle[]): AcpHandle[] {
  return handles.flatMap((handle) => readHandle(handle) ?? []).filter(({ home }) => home === link.paths.home)
}

function keyOf({ session, spawnId }: AcpHandle): string {
  return `${session} ${spawnId}`
}

function watchDirectory(link: DaemonLink, { session }: AcpHandle, check: () => void): FSWatcher | null {
  try {
    const watcher = watch(sessionDirectory(link.paths, session), { persistent: false }, (_event, name) => {
      if (name === null || name === 'meta.json') check()
    })
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    // Missing, or too many watches: polling finds out.
    return null
  }
}

function hasEnded(link: DaemonLink, { session, spawnId }: AcpHandle): boolean {
  try {
    const { state, driver } = readMeta(link.paths, session)
    return state === 'stopped' || driver?.spawn_id !== spawnId
  } catch (error) {
    if (error instanceof AoError) return error.code === 'SESSION_NOT_FOUND'
    throw error
  }
}
