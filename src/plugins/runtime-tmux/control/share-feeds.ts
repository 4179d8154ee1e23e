// What the live terminals of a process ask tmux together. Each by itself would list every pane of the server whenever any session
// comes or goes: with many terminals, that is what tmux would mostly do.
import type { RuntimeHandle } from '../../../contract/session.ts'
import type { Liveness, RuntimeWatch } from '../../../slots/runtime.ts'

export type OpenWatch = (onChange: (names: string[]) => void) => RuntimeWatch
/** Calls `onChange` when this session may have ended, until the returned function is called. */
type FollowOne = (handle: RuntimeHandle, onChange: () => void) => () => void

interface Follower {
  handle: RuntimeHandle
  onChange(): void
}

/** One watch for all of them, open while there is one. */
export function shareWatch(open: OpenWatch): FollowOne {
  const followers = new Set<Follower>()
  let watch: RuntimeWatch | null = null
  const notify = (names: string[]) => {
    for (const { handle, onChange } of [...followers]) if (names.includes(handle.id)) onChange()
  }
  return (handle, onChange) => {
    const follower = { handle, onChange }
    followers.add(follower)
    watch ??= open(notify)
    watch.follow([...followers].map((one) => one.handle))
    return () => {
      if (!followers.delete(follower)) return
      if (followers.size > 0) return watch?.follow([...followers].map((one) => one.handle))
      watch?.close()
      watch = null
    }
  }
}

export type Probe = (handles: RuntimeHandle[]) => Promise<Map<string, Liveness>>

/** Whoever asks while a question is on its way gets the answer to the next one, which is about all who wait for it. */
export function shareProbe(probe: Probe): (handle: RuntimeHandle) => Promise<Liveness> {
  let waiting = new Map<string, RuntimeHandle>()
  let last: Promise<unknown> = Promise.resolve()
  let next: ReturnType<Probe> | null = null
  const ask = () => {
    const handles = [...waiting.values()]
    waiting = new Map()
    next = null
    return probe(handles)
  }
  return async (handle) => {
    const other = waiting.get(handle.id)
    // Answers go by name: another launch of it asks for itself.
    if (other !== undefined && other !== handle) return (await probe([handle])).get(handle.id)!
    waiting.set(handle.id, handle)
    next ??= last.then(ask, ask)
    last = next
    return (await next).get(handle.id)!
  }
}
