// What becomes of an input when the connection to its host breaks.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hostHands } from './hands.ts'
import { createInbox } from './inbox.ts'
import type { AgentTerminal } from './io/pty.ts'
import { serveTerminal } from './io/terminal.ts'
import { refuse } from './serve.ts'

let directory: string
let server: Server
let entered: string[]
let sockets: Socket[]
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hands-'))
  entered = []
  sockets = []
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
  rmSync(directory, { recursive: true, force: true })
})

/** `paste` may break connections before it is done. */
async function listen(
  accept: (socket: Socket, serve: () => void) => void,
  paste: () => Promise<void>,
): Promise<string> {
  const agent = {
    paste: async (text: string) => {
      entered.push(text)
      await paste()
    },
    ended: new Promise(() => undefined),
    output: { begin: () => 0, end: () => 0 },
  } as unknown as AgentTerminal
  const inbox = createInbox()
  const stop = async () => undefined
  server = createServer((socket) => {
    sockets.push(socket)
    accept(socket, () => serveTerminal(socket, { name: 'app-1', spawnId: 's', inbox, stop, agent }))
  })
  const path = join(directory, 's')
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return path
}

const breakFirst = async () => {
  if (sockets.length === 1) sockets[0]!.destroy()
}

describe('a message whose answer is lost', () => {
  it('is entered once when the host is in a place: it is sent again with the same key', async () => {
    const socket = await listen((_, serve) => serve(), breakFirst)
    await hostHands({ name: 'app-1', socket, isElsewhere: true }).paste('hello')
    expect(entered).toEqual(['hello'])
    expect(sockets.length).toBe(2)
  })

  it('waits for a line that is away for a moment', async () => {
    const refuseSecond = (socket: Socket, serve: () => void) => {
      if (sockets.length !== 2) return serve()
      socket.on('data', () => undefined)
      refuse(socket, 'the place cannot be reached now', true)
    }
    const socket = await listen(refuseSecond, breakFirst)
    await hostHands({ name: 'app-1', socket, isElsewhere: true }).paste('hello')
    expect(entered).toEqual(['hello'])
    expect(sockets.length).toBe(3)
  })

  it('may have been entered when the host is here: nobody sends it again blindly', async () => {
    const socket = await listen((_, serve) => serve(), breakFirst)
    await expect(hostHands({ name: 'app-1', socket }).paste('hello')).rejects.toMatchObject({
      details: { pasted: null },
    })
    expect(entered).toEqual(['hello'])
  })

  it('was certainly not entered when it was refused, or nothing listens', async () => {
    const refuseAll = (socket: Socket) => {
      socket.on('data', () => undefined)
      refuse(socket, 'its terminal is gone')
    }
    const socket = await listen(refuseAll, breakFirst)
    const failure = { message: expect.stringContaining('its terminal is gone'), details: { pasted: false } }
    await expect(hostHands({ name: 'app-1', socket, isElsewhere: true }).paste('x')).rejects.toMatchObject(failure)
    const nobody = hostHands({ name: 'app-1', socket: join(directory, 'nobody') }).paste('x')
    await expect(nobody).rejects.toMatchObject({ details: { pasted: false } })
    expect(entered).toEqual([])
  })

  it('was certainly not entered when the answer of an old line says so', async () => {
    const answerOld = (socket: Socket) => {
      socket.on('data', () => undefined)
      socket.end('{"ok":false,"error":"the place cannot be reached now"}\n')
    }
    const socket = await listen(answerOld, breakFirst)
    await expect(hostHands({ name: 'app-1', socket }).paste('x')).rejects.toMatchObject({
      message: expect.stringContaining('the place cannot be reached now'),
      details: { pasted: false },
    })
  })
})
