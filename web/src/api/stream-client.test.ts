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
  const asked: Asked[] = []
  const events: string[] = []
  const connections: Connection[] = []
  const times: number[] = []
  const ask = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const refusal = answer(asked.length)
    let controller!: ReadableStreamDefaultController<Uint8Array>
    const body = new ReadableStream<Uint8Array>({
      start: (given) => {
        controller = given
      },
    })
    init?.signal?.addEventListener('abort', () => controller.error(init.signal!.reason))
    asked.push({
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
    random: () => 0,
  })
  return { client, asked, events, connections, times }
}

const CHANGE = 'event: change\ndata: {"sessions":[],"removed":[]}\n\n'

describe('createStreamClient', () => {
  it('goes on at its cursor after the line broke, and says that it was lost meanwhile', async () => {
    const { client, asked, events, connections } = serve()
    client.watch(null)
    await vi.waitFor(() => expect(asked).toHaveLength(1))
    expect(asked[0]!.cursor).toBeNull()
    asked[0]!.send(`id: e.7.0.0\n${CHANGE}`)
    await vi.waitFor(() => expect(events).toEqual(['change']))
    asked[0]!.end()
    await vi.waitFor(() => expect(asked).toHaveLength(2))
    expect(asked[1]!.cursor).toBe('e.7.0.0')
    expect(connections.map(({ state }) => state)).toEqual(['connecting', 'live', 'lost', 'live'])
  })

  it('opens another line for another session where the board left off, and leaves the old one', async () => {
    const { client, asked, events } = serve()
    client.watch('a-1')
    await vi.waitFor(() => expect(asked).toHaveLength(1))
    asked[0]!.send(`id: e.7.12.90\n${CHANGE}`)
    await vi.waitFor(() => expect(events).toHaveLength(1))
    client.watch('b-2')
    await vi.waitFor(() => expect(asked).toHaveLength(2))
    expect(asked[0]!.url).toBe('/api/stream?session=a-1')
    expect(asked[1]).toMatchObject({ url: '/api/stream?session=b-2', cursor: 'e.7.0.0' })
    expect(asked[0]!.aborted()).toBe(true)
  })

  it('does not try again when it is refused, and says what to do', async () => {
    const refusal = { error: { code: 'SIGN_IN_NEEDED', message: 'Sign in', hint: 'Open it with: ao dashboard' } }
    const { client, asked, connections } = serve(() => Response.json(refusal, { status: 401 }))
    client.watch(null)
    await vi.waitFor(() => expect(connections.at(-1)).toMatchObject({ state: 'refused', why: 'Sign in' }))
    expect(asked).toHaveLength(1)
  })

  it("says what the server's clock says", async () => {
    const date = 'Sun, 15 Nov 2026 07:00:00 GMT'
    const { client, times } = serve(() => new Response('', { headers: { date } }))
    client.watch(null)
    await vi.waitFor(() => expect(times[0]).toBe(Date.parse(date)))
  })

  it('tries again at once when it is told to', async () => {
    const { client, asked, connections } = serve((count) => (count < 6 ? new Response('', { status: 502 }) : null))
    client.watch(null)
    await vi.waitFor(() => expect(connections.at(-1)!.state).toBe('lost'))
    for (let count = 2; count <= 7; count += 1) {
      client.retryNow()
      await vi.waitFor(() => expect(asked.length).toBeGreaterThanOrEqual(count))
    }
    await vi.waitFor(() => expect(connections.at(-1)!.state).toBe('live'))
  })

  it('takes silence for a dead line, and dates what is shown by the last word before it', async () => {
    vi.useFakeTimers()
    const { client, asked, connections } = serve()
    client.watch(null)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(connections.at(-1)!.state).toBe('live')
    asked[0]!.send(': still here\n\n')
    await vi.advanceTimersByTimeAsync(1)
    const heardAt = Date.now()
    await vi.advanceTimersByTimeAsync(45_000)
    expect(connections.at(-1)).toMatchObject({ state: 'lost', why: 'The server has gone silent.' })
    expect(Math.abs((connections.at(-1) as { since: number }).since - heardAt)).toBeLessThan(10)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(asked).toHaveLength(2)
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
