import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Connection, createStreamClient, forgetSession, type StreamClient, waitBefore } from './stream-client.ts'

interface Asked {
  url: string
  cursor: string | null
  send: (text: string) => void
  end: () => void
  aborted: () => boolean
}

let client: StreamClient | null = null
afterEach(() => {
  client?.stop()
  vi.useRealTimers()
})

/** A server whose lines the test holds in its hand. */
function serve(answer: (count: number) => Response | null = () => null) {
  const requests: Asked[] = []
  const events: string[] = []
  const connections: Connection[] = []
  const times: number[] = []
  const ask = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const refusal = answer(requests.length)
    let controller!: ReadableStreamDefaultController<Uint8Array>
    const body = new ReadableStream<Uint8Array>({
      start: (given) => {
        controller = given
      },
    })
    init?.signal?.addEventListener('abort', () => controller.error(init.signal!.reason))
    requests.push({
      url: String(url),
      cursor: new Headers(init?.headers).get('last-event-id'),
      send: (text) => controller.enqueue(new TextEncoder().encode(text)),
      end: () => controller.close(),
      aborted: () => init?.signal?.aborted ?? false,
    })
    return refusal ?? new Response(body)
  }
  client = createStreamClient({
    onEvent: ({ event }) => events.push(event),
    onConnection: (connection) => connections.push(connection),
    onServerTime: (at) => times.push(at),
    fetch: ask as typeof fetch,
    WebSocket: null,
    random: () => 0,
  })
  return { client, requests, events, connections, times }
}

const CHANGE = 'event: change\ndata: {"sessions":[],"removed":[]}\n\n'

describe('createStreamClient', () => {
  it('goes on at its cursor after the line broke, and says that it was lost meanwhile', async () => {
    const { client, requests, events, connections } = serve()
    client.watch(null)
    await vi.waitFor(() => expect(requests).toHaveLength(1))
    expect(requests[0]!.cursor).toBeNull()
    requests[0]!.send(`id: e.7.0.0\n${CHANGE}`)
    await vi.waitFor(() => expect(events).toEqual(['change']))
    requests[0]!.end()
    await vi.waitFor(() => expect(requests).toHaveLength(2))
    expect(requests[1]!.cursor).toBe('e.7.0.0')
    expect(connections.map(({ state }) => state)).toEqual(['connecting', 'live', 'lost', 'live'])
  })

  it('opens another line for another session where the board left off, and leaves the old one', async () => {
    const { client, requests, events } = serve()
    client.watch('a-1')
    await vi.waitFor(() => expect(requests).toHaveLength(1))
    requests[0]!.send(`id: e.7.12.90\n${CHANGE}`)
    await vi.waitFor(() => expect(events).toHaveLength(1))
    client.watch('b-2')
    await vi.waitFor(() => expect(requests).toHaveLength(2))
    expect(requests[0]!.url).toBe('/api/stream?session=a-1&cards=lean')
    expect(requests[1]).toMatchObject({ url: '/api/stream?session=b-2&cards=lean', cursor: 'e.7.0.0' })
    expect(requests[0]!.aborted()).toBe(true)
  })

  it('does not try again when it is refused, and says what to do', async () => {
    const refusal = { error: { code: 'SIGN_IN_NEEDED', message: 'Sign in', hint: 'Open it with: ao dashboard' } }
    const { client, requests, connections } = serve(() => Response.json(refusal, { status: 401 }))
    client.watch(null)
    await vi.waitFor(() => expect(connections.at(-1)).toMatchObject({ state: 'refused', why: 'Sign in' }))
    expect(requests).toHaveLength(1)
  })

  it("says what the server's clock says", async () => {
    const { client, requests, times } = serve()
    client.watch(null)
    await vi.waitFor(() => expect(requests).toHaveLength(1))
    requests[0]!.send(': 2026-11-15T07:00:00.000Z\n\n: still here\n\n')
    await vi.waitFor(() => expect(times).toEqual([Date.parse('2026-11-15T07:00:00.000Z')]))
  })

  it('tries again at once when it is told to', async () => {
    const { client, requests, connections } = serve((count) => (count < 6 ? new Response('', { status: 502 }) : null))
    client.watch(null)
    await vi.waitFor(() => expect(connections.at(-1)!.state).toBe('lost'))
    for (let count = 2; count <= 7; count += 1) {
      client.retryNow()
      await vi.waitFor(() => expect(requests.length).toBeGreaterThanOrEqual(count))
    }
    await vi.waitFor(() => expect(connections.at(-1)!.state).toBe('live'))
  })

  it('says within ten seconds that nothing comes, and dates what is shown by the last word', async () => {
    vi.useFakeTimers()
    const { client, requests, connections } = serve()
    client.watch(null)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(connections.at(-1)!.state).toBe('live')
    requests[0]!.send(': still here\n\n')
    await vi.advanceTimersByTimeAsync(1)
    const heardAt = Date.now()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(connections.at(-1)!.state).toBe('silent')
    expect(Math.abs((connections.at(-1) as { since: number }).since - heardAt)).toBeLessThan(10)
    // It was only slow.
    requests[0]!.send(': still here\n\n')
    await vi.advanceTimersByTimeAsync(1)
    expect(connections.at(-1)!.state).toBe('live')
    expect(requests).toHaveLength(1)
  })

  it('takes longer silence for a dead line, also one that never opens', async () => {
    vi.useFakeTimers()
    const { client, requests, connections } = serve()
    client.watch(null)
    await vi.advanceTimersByTimeAsync(20_001)
    expect(connections.at(-1)).toMatchObject({ state: 'lost', why: 'The server has gone silent.' })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(requests).toHaveLength(2)
  })
})

describe('over a WebSocket', () => {
  class FakeSocket {
    static opened: FakeSocket[] = []
    onopen: () => void = () => undefined
    onclose: () => void = () => undefined
    onmessage: (message: { data: string }) => void = () => undefined
    closed = false
    readonly url: string
    constructor(url: string) {
      this.url = url
      FakeSocket.opened.push(this)
    }
    close() {
      this.closed = true
    }
  }

  function overSockets(fetched: () => Promise<Response>) {
    FakeSocket.opened = []
    vi.stubGlobal('location', { protocol: 'http:', host: 'localhost:3000', pathname: '/' })
    const events: string[] = []
    const connections: Connection[] = []
    client = createStreamClient({
      onEvent: ({ event }) => events.push(event),
      onConnection: (connection) => connections.push(connection),
      fetch: fetched as typeof fetch,
      WebSocket: FakeSocket as unknown as typeof WebSocket,
      random: () => 0,
    })
    return { client, events, connections, sockets: FakeSocket.opened }
  }

  afterEach(() => vi.unstubAllGlobals())

  it('takes no HTTP connection, and goes on at its cursor', async () => {
    const fetched = vi.fn()
    const { client, events, sockets } = overSockets(fetched)
    client.watch('a-1')
    sockets[0]!.onopen()
    await vi.waitFor(() => expect(client.isScarce()).toBe(false))
    sockets[0]!.onmessage({ data: 'id: e.7.12.0\n' })
    sockets[0]!.onmessage({ data: CHANGE })
    await vi.waitFor(() => expect(events).toEqual(['change']))
    sockets[0]!.onclose()
    await vi.waitFor(() => expect(sockets).toHaveLength(2))
    expect(sockets[1]!.url).toBe('ws://localhost:3000/api/stream?session=a-1&cards=lean&cursor=e.7.12.0')
    client.watch('b-2')
    await vi.waitFor(() => expect(sockets).toHaveLength(3))
    expect(sockets[1]!.closed).toBe(true)
    expect(fetched).not.toHaveBeenCalled()
  })

  it('reads events where no WebSocket gets through, and says why it is refused', async () => {
    const { client, connections, sockets } = overSockets(async () => new Response(new ReadableStream()))
    client.watch(null)
    sockets[0]!.onclose()
    await vi.waitFor(() => expect(connections.at(-1)!.state).toBe('live'))
    expect(client.isScarce()).toBe(true)
    client.stop()
    const other = overSockets(async () => Response.json({ error: { code: 'X', message: 'Sign in' } }, { status: 401 }))
    other.client.watch(null)
    other.sockets[0]!.onclose()
    await vi.waitFor(() => expect(other.connections.at(-1)).toMatchObject({ state: 'refused', why: 'Sign in' }))
  })

  it('gives up a socket that never opens', async () => {
    vi.useFakeTimers()
    const { client, connections, sockets } = overSockets(() => new Promise(() => undefined))
    client.watch(null)
    await vi.advanceTimersByTimeAsync(20_001)
    expect(connections.at(-1)).toMatchObject({ state: 'lost', why: 'The server has gone silent.' })
    expect(sockets[0]!.closed).toBe(true)
  })
})

describe('waitBefore', () => {
  it.each([
    [0, 0, 250],
    [0, 1, 500],
    [3, 1, 4_000],
    [20, 1, 15_000],
    [2_000, 0, 7_500],
  ])('after %i failures with chance %d waits %i ms', (failures, chance, ms) => {
    expect(waitBefore(failures, chance)).toBe(ms)
  })
})

describe('forgetSession', () => {
  it.each([
    [null, null],
    ['e.7.12.90', 'e.7.0.0'],
    ['nonsense', null],
  ])('%j becomes %j', (cursor, left) => {
    expect(forgetSession(cursor)).toBe(left)
  })
})
