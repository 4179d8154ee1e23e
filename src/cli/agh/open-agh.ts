// The daemon for a command: found, or started.
import { type AskArguments, type Call, callDaemon, followDaemon, followFrames } from '../../agh/client/client.ts'
import type { Frame } from '../../agh/client/send-request.ts'
import { type AghPaths, aghPaths } from '../../agh/paths.ts'
import type { SessionEvent } from '../../contract/agh/events.ts'
import { AoError } from '../../contract/errors.ts'
import type { Io } from '../io.ts'

type Prompt = 'POST /api/sessions/:id/prompt'
type Stream = 'GET /api/sessions/:id/stream'

export interface Agh {
  paths: AghPaths
  call: Call
  follow(...ask: AskArguments<Stream>): AsyncGenerator<SessionEvent>
  /** Unparsed and several at a time: for what is only passed on. */
  prompt(...ask: AskArguments<Prompt>): AsyncGenerator<Frame[]>
}

export function openAgh(io: Io): Agh {
  const paths = aghPaths(io.env, io.home)
  const { socket } = paths
  return {
    paths,
    call: (name, ...ask) => withDaemon(paths, io, () => callDaemon(socket, name, ...ask)),
    follow: (ask) => begun(paths, io, () => followDaemon(socket, 'GET /api/sessions/:id/stream', ask)),
    prompt: (ask) => begun(paths, io, () => followFrames(socket, 'POST /api/sessions/:id/prompt', ask)),
  }
}

/** Refused before anything was sent: so it can be sent again. */
async function withDaemon<T>(paths: AghPaths, io: Io, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof AoError) || error.code !== 'DAEMON_NOT_RUNNING') throw error
    const { startDaemon } = await import('../../agh/daemon/start-daemon.ts')
    const { http_problem } = await startDaemon(paths, io.env)
    if (http_problem !== null) io.note(`The agh daemon has its socket only: ${http_problem}`)
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
