// Requests to agh's daemon as tests write them: any path, any body, right or wrong.
import { type DaemonRequest, followRequest, sendRequest } from '../../src/agh/client.ts'
import type { SessionEvent } from '../../src/contract/agh/events.ts'

type Options = Omit<DaemonRequest, 'path'>

export async function callDaemon<T>(socket: string, path: string, options: Options = {}): Promise<T> {
  return (await sendRequest(socket, { path, ...options })).value as T
}

export async function* followDaemon(socket: string, path: string, options: Options = {}): AsyncGenerator<SessionEvent> {
  for await (const frames of followRequest(socket, { path, ...options })) {
    for (const { data } of frames) yield JSON.parse(data) as SessionEvent
  }
}
