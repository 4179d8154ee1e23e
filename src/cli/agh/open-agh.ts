// The daemon for a command: found, or started.
import { type CallOptions, callDaemon, type Frame, followDaemon, followFrames } from '../../agh/client/client.ts'
import { type AghPaths, aghPaths } from '../../agh/paths.ts'
import type { SessionEvent } from '../../contract/agh/events.ts'
import { AoError } from '../../contract/errors.ts'
import type { Io } from '../io.ts'

export interface Agh {
  paths: AghPaths
  call<T>(path: string, options?: CallOptions): Promise<T>
  follow(path: string, options?: CallOptions): AsyncGenerator<SessionEvent>
  /** As `follow`, unread and several at a time: for what is only passed on. */
  followFrames(path: string, options?: CallOptions): AsyncGenerator<Frame[]>
}

export function openAgh(io: Io): Agh {
  const paths = aghPaths(io.env, io.home)
  return {
    paths,
    call: (path, options) => withDaemon(paths, io, () => callDaemon(paths.socket, path, options)),
    follow: (path, options) => begun(paths, io, () => followDaemon(paths.socket, path, options)),
    followFrames: (path, options) => begun(paths, io, () => followFrames(paths.socket, path, options)),
  }
}

/** Refused before anything was sent: so it can be sent again. */
async function withDaemon<T>(paths: AghPaths, io: Io, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof AoError) || error.code !== 'DAEMON_NOT_RUNNING') throw error
    const { startDaemon } = await import('../../agh/daemon/start-daemon.ts')
    await startDaemon(paths, io.env)
    return act()
  }
}

async function* begun<T>(paths: AghPaths, io: Io, open: () => AsyncGenerator<T>): AsyncGenerator<T> {
  yield* await withDaemon(paths, io, async () => {
    const items = open()
    return rejoin(await items.next(), items)
  })
}

async function* rejoin<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  if (first.done) return
  yield first.value
  yield* rest
}

export function sessionPath(sessionId: string, rest = ''): string {
  return `/api/sessions/${encodeURIComponent(sessionId)}${rest}`
}
