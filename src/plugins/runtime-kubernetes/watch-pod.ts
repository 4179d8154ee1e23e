// Follows one pod: a list, then a watch from there. Bookmarks move the place from which it goes on; a place that the server
// has forgotten (410) begins again with a list, so that nothing is missed and nothing is waited for twice.
import { sleep } from '../../lib/clock.ts'
import { type Api, ApiError, type WatchEvent } from './api.ts'
import type { Pod } from './pod-state.ts'

interface Watched {
  namespace: string
  pod: string
  uid: string
  timeoutMs: number
}

/** One watch at a time lasts no longer, so that a dead connection is noticed. */
const WATCH_S = 60
const RETRY_MS = 500

/** `onPod` gets null when the pod no longer exists. Resolves when it has enough or the time is over. */
export async function watchPod(
  api: Api,
  watched: Watched,
  onPod: (pod: Pod | null) => 'more' | 'enough',
): Promise<void> {
  const { namespace, pod, uid, timeoutMs } = watched
  const until = performance.now() + timeoutMs
  const base = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`
  const only = `fieldSelector=${encodeURIComponent(`metadata.name=${pod}`)}`
  let version: string | null = null
  let enough = false
  const take = (seen: Pod | null) => {
    const isOurs = seen === null || seen.metadata.uid === uid
    enough = onPod(isOurs ? seen : null) === 'enough'
    return enough ? 'enough' : 'more'
  }
  const onEvent = ({ type, object }: WatchEvent): 'more' | 'enough' => {
    const seen = object as unknown as Pod
    if (type === 'ERROR') {
      const { code = 0, reason = '', message = '' } = object as { code?: number; reason?: string; message?: string }
      throw new ApiError(code, reason, message)
    }
    version = seen.metadata.resourceVersion ?? version
    if (type === 'BOOKMARK') return 'more'
    return take(type === 'DELETED' ? null : seen)
  }
  while (!enough && performance.now() < until) {
    if (version === null) {
      const listed: { metadata: { resourceVersion: string }; items: Pod[] } = await api.ask('GET', `${base}?${only}`)
      version = listed.metadata.resourceVersion
      if (take(listed.items[0] ?? null) === 'enough') return
    }
    const left = Math.max(1, Math.min(WATCH_S, Math.ceil((until - performance.now()) / 1000)))
    const how = `watch=1&allowWatchBookmarks=true&resourceVersion=${version}&timeoutSeconds=${left}`
    try {
      await api.watch(`${base}?${only}&${how}`, onEvent, (left + 10) * 1000)
    } catch (error) {
      if (error instanceof ApiError && error.status !== 410 && error.status !== 429 && error.status < 500) throw error
      if (error instanceof ApiError && error.status === 410) version = null
      await sleep(RETRY_MS)
    }
  }
}
