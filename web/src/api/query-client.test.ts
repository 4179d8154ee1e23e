import { QueryObserver } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { FreshQueryClient } from './query-client.ts'

/** Requests that the test answers, the earliest first. */
function watched(client: FreshQueryClient) {
  const requests: Array<(answer: string) => void> = []
  const observer = new QueryObserver(client, {
    queryKey: ['pulls', 'app'],
    queryFn: () => new Promise<string>((resolve) => requests.push(resolve)),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const stop = observer.subscribe(() => undefined)
  return { requests, observer, stop }
}

describe('news about a list', () => {
  it('that arrives before its first answer is not lost: the list is fetched again', async () => {
    const client = new FreshQueryClient()
    const { requests, observer, stop } = watched(client)
    const done = client.invalidateQueries({ queryKey: ['pulls'] })
    requests[0]!('pending')
    await expect.poll(() => requests.length).toBe(2)
    requests[1]!('passed')
    await done
    expect(observer.getCurrentResult().data).toBe('passed')
    stop()
  })

  it('that arrives later replaces a request under way, and fetches once', async () => {
    const client = new FreshQueryClient()
    const { requests, observer, stop } = watched(client)
    requests[0]!('pending')
    await expect.poll(() => observer.getCurrentResult().data).toBe('pending')
    const done = client.invalidateQueries({ queryKey: ['pulls'] })
    requests[1]!('passed')
    await done
    expect(requests).toHaveLength(2)
    expect(observer.getCurrentResult().data).toBe('passed')
    stop()
  })

  it('of another list fetches nothing', async () => {
    const client = new FreshQueryClient()
    const { requests, stop } = watched(client)
    await client.invalidateQueries({ queryKey: ['issues'] })
    requests[0]!('pending')
    expect(requests).toHaveLength(1)
    stop()
  })
})
