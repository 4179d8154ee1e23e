// Reports ended agents as they end: each host keeps one quiet connection open until then.
import { connect, type Socket } from 'node:net'
import type { RuntimeWatch } from '../../slots/runtime.ts'
import { writeLine } from './host/host-protocol.ts'
import { type ProcessHandle, readHandle } from './process-handle.ts'

export function watchAgents(onChange: (names: string[]) => void): RuntimeWatch {
  const open = new Map<string, Socket>()
  return {
    follow(handles) {
      const wanted = new Map(
        handles.flatMap((handle) => {
          const target = readHandle(handle)
          return target?.socket === undefined ? [] : [[target.socket, target] as const]
        }),
      )
      for (const [path, socket] of open) {
        if (wanted.has(path)) continue
        open.delete(path)
        socket.destroy()
      }
      for (const [path, handle] of wanted) if (!open.has(path)) open.set(path, awaitEnd(path, handle, report))
    },
    close() {
      for (const socket of open.values()) socket.destroy()
      open.clear()
    },
  }

  function report(socketPath: string, { name }: ProcessHandle): void {
    // Closed by us: nobody is interested. It stays in the map, so that an end is reported once.
    if (open.has(socketPath)) onChange([name])
  }
}

/** The end of the connection, however it happens, is the signal: even a killed host closes it. */
function awaitEnd(path: string, handle: ProcessHandle, report: (path: string, handle: ProcessHandle) => void): Socket {
  const socket = connect(path)
  socket.on('connect', () => writeLine(socket, { op: 'await-end' }))
  // The reason does not matter, and 'close' follows.
  socket.on('error', () => undefined)
  // An older host answers that it does not know the request, and keeps the connection until it ends.
  socket.resume()
  socket.on('close', () => report(path, handle))
  return socket
}
