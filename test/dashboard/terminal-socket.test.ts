// Terminals over one WebSocket: a real client, a real server, and agents in both runtimes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RuntimeHandle } from '../../src/contract/session.ts'
import { TERMINAL_WINDOW_BYTES } from '../../src/contract/terminal-frames.ts'
import { serveTerminals } from '../../src/dashboard/terminal/terminal-socket.ts'
import { plugin as processPlugin } from '../../src/plugins/runtime-process/index.ts'
import { plugin as tmuxPlugin } from '../../src/plugins/runtime-tmux/index.ts'
import { processesOf, useRuntimeWorld } from '../contract/runtime-world.ts'
import { waitFor } from '../support/wait-for.ts'
import { connectTerminals, listenForTerminals, type TerminalClient } from './terminal-client.ts'

const SIZE = { cols: 100, rows: 30 }

describe.each([
  ['tmux', tmuxPlugin],
  ['process', processPlugin],
])('terminals of %s over a socket', (_, plugin) => {
  const world = useRuntimeWorld({ plugin, file: '', missingCommand: 'ends', detachKeys: '' })
  const sessions = new Map<string, RuntimeHandle>()
  const clients: TerminalClient[] = []
  let server: Awaited<ReturnType<typeof listenForTerminals>>

  beforeEach(async () => {
    // A ticket names what it allows: `read:app-1`.
    const terminals = serveTerminals({
      takeTicket(ticket) {
        const [mode, sessionId] = ticket.split(':')
        return sessionId && (mode === 'read' || mode === 'write') ? { sessionId, mode } : null
      },
      async openTerminal(sessionId, viewer) {
        const handle = sessions.get(sessionId)
        if (!handle) throw new Error(`There is no session ${sessionId}`)
        return world.runtime.openTerminal!(handle, viewer)
      },
    })
    server = await listenForTerminals(terminals)
  })
  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.terminate()
    await server.close()
    sessions.clear()
  })

  async function connect(options?: { acknowledges?: boolean }): Promise<TerminalClient> {
    const client = await connectTerminals(server.port, options)
    clients.push(client)
    return client
  }

  const shows = (client: TerminalClient, terminalId: number, text: string) =>
    waitFor(`terminal ${terminalId} to show ${text}`, () => client.shown(terminalId).includes(text))

  it('shows several agents over one socket, each under its own id', async () => {
    sessions.set('app-1', await world.start(['sh', '-c', 'echo first; exec sleep 60']))
    sessions.set('app-2', await world.start(['sh', '-c', 'echo second; exec sleep 60']))
    const client = await connect()
    client.say({ type: 'open', terminalId: 7, ticket: 'read:app-1', ...SIZE })
    client.say({ type: 'open', terminalId: 9, ticket: 'read:app-2', ...SIZE })
    await shows(client, 7, 'first')
    await shows(client, 9, 'second')
    expect(client.shown(7)).not.toContain('second')
    expect(client.frames).toContainEqual({ type: 'opened', terminalId: 7, mode: 'read', cols: 120, rows: 40 })
  })

  it('types only with a ticket for it, and gives the agent its size only then', async () => {
    const tui = await world.startTui()
    sessions.set('app-1', tui.handle)
    const client = await connect()
    client.say({ type: 'open', terminalId: 1, ticket: 'read:app-1', ...SIZE })
    await shows(client, 1, 'tui-echo ready')
    client.say({ type: 'resize', terminalId: 1, cols: 50, rows: 20 })
    client.type(1, 'not for the agent\r')
    await waitFor('the refusal', () =>
      client.frames.some((frame) => frame.type === 'error' && frame.code === 'read-only'),
    )
    client.say({ type: 'open', terminalId: 2, ticket: 'write:app-1', ...SIZE })
    await waitFor('the size', () => client.frames.some((frame) => frame.type === 'size' && frame.terminalId === 1))
    expect(client.frames.filter(({ type }) => type === 'size')).not.toContainEqual(
      expect.objectContaining({ cols: 50 }),
    )
    await shows(client, 2, 'tui-echo ready')
    // Automatic replies of the browser's terminal are not typed.
    client.type(2, 'by hand\u001b[?1;2c\u001b[3;1R\r')
    expect(await tui.untilMessages(1)).toEqual(['by hand'])
  })

  it('reports the end of an agent, and nothing after it', async () => {
    const handle = await world.start(['sh', '-c', 'echo here; exec sleep 60'])
    sessions.set('app-1', handle)
    const client = await connect()
    client.say({ type: 'open', terminalId: 1, ticket: 'read:app-1', ...SIZE })
    await shows(client, 1, 'here')
    for (const pid of processesOf(handle)) process.kill(pid, 'SIGKILL')
    await waitFor('the end', () => client.frames.some(({ type }) => type === 'ended'))
    expect(client.frames.at(-1)).toEqual({ type: 'ended', terminalId: 1, why: expect.stringContaining('SIGKILL') })
    // The id is free again.
    client.say({ type: 'open', terminalId: 1, ticket: 'read:app-2', ...SIZE })
    await waitFor('the refusal', () =>
      client.frames.some((frame) => frame.type === 'error' && frame.code === 'unavailable'),
    )
  })

  it('a browser that receives nothing gets one window and no more, and a new picture when it wakes up', {
    timeout: 90_000,
  }, async () => {
    const flood = "head -c 8000000 /dev/zero | tr '\\0' x | fold -w 100"
    sessions.set('app-1', await world.start(['sh', '-c', `read go; ${flood}; echo the flood is over; exec sleep 60`]))
    const client = await connect({ acknowledges: false })
    client.say({ type: 'open', terminalId: 1, ticket: 'write:app-1', ...SIZE })
    await waitFor('the screen', () => client.frames.some(({ type }) => type === 'opened'))
    client.type(1, 'go\r')
    const handle = sessions.get('app-1')!
    await waitFor(
      'the end of the flood',
      async () => (await world.runtime.getOutput(handle, 5)).includes('the flood is over'),
      60_000,
    )
    // The step that goes over the window is still sent, and for the runtime process what its host sent before it paused.
    expect(client.bytes(1)).toBeLessThan(TERMINAL_WINDOW_BYTES + 1_500_000)
    expect(client.shown(1)).not.toContain('the flood is over')
    client.say({ type: 'ack', terminalId: 1, bytes: client.bytes(1) })
    await waitFor('the last picture', () => {
      client.say({ type: 'ack', terminalId: 1, bytes: client.bytes(1) })
      return client.shown(1).includes('the flood is over')
    })
  })

  it('lets go of everything when the browser is gone', async () => {
    const tui = await world.startTui()
    sessions.set('app-1', tui.handle)
    const [client, other] = [await connect(), await connect()]
    for (const one of [client, other]) {
      one.say({ type: 'open', terminalId: 1, ticket: 'write:app-1', ...SIZE })
      await shows(one, 1, 'tui-echo ready')
    }
    client.socket.terminate()
    other.type(1, 'still here\r')
    expect(await tui.untilMessages(1)).toEqual(['still here'])
  })
})

describe('the protocol', () => {
  it('refuses what it does not know, and stays there for what it does', async () => {
    const opened: string[] = []
    const terminals = serveTerminals({
      takeTicket: (ticket) => (ticket === 'good' ? { sessionId: 'app-1', mode: 'read' } : null),
      async openTerminal(sessionId) {
        opened.push(sessionId)
        const nothing = () => undefined
        return {
          size: SIZE,
          write: nothing,
          resize: nothing,
          pause: nothing,
          resume: nothing,
          close: async () => undefined,
        }
      },
    })
    const server = await listenForTerminals(terminals)
    const client = await connectTerminals(server.port)
    client.socket.send('hello')
    client.socket.send(Buffer.from([1]))
    client.say({ type: 'open', terminalId: 1, ticket: 'bad', ...SIZE })
    client.say({ type: 'resize', terminalId: 5, ...SIZE })
    client.say({ type: 'open', terminalId: 1, ticket: 'good', ...SIZE })
    client.say({ type: 'open', terminalId: 1, ticket: 'good', ...SIZE })
    await waitFor('the answers', () => client.frames.length >= 5)
    expect(client.frames.map((frame) => (frame.type === 'error' ? [frame.code, frame.fatal] : frame.type))).toEqual([
      ['bad-frame', false],
      ['bad-frame', false],
      ['bad-ticket', true],
      ['too-many', false],
      'opened',
    ])
    expect(opened).toEqual(['app-1'])
    client.socket.terminate()
    await server.close()
  })
})
