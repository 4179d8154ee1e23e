// What outlives a loop: records, histories, the memory of reactions, the outbox. All in memory, so that thousands of lives
// are fast; every write may be the last one of its process.
import type { SessionEvent, SessionEventBody } from '../contract/events.ts'
import type { ReactionMemory } from '../contract/reactions.ts'
import { readRecord } from '../contract/record.ts'
import { storedSession } from '../contract/stored-session.ts'
import type { ReactionStore } from '../lifecycle/tick/reaction-memory.ts'
import type { Notification } from '../slots/notifier.ts'
import type { ProjectPaths } from '../store/paths.ts'
import type { SessionStore } from '../store/session/session-store.ts'
import { mergeRecord } from '../store/session/update-session.ts'

export interface Disk {
  records: Map<string, Record<string, string>>
  histories: Map<string, SessionEvent[]>
  memories: Map<string, string>
  outbox: Map<string, Notification & { at: number }>
}

export function createDisk(): Disk {
  return { records: new Map(), histories: new Map(), memories: new Map(), outbox: new Map() }
}

/** The loop of `ao start`, until it is killed. */
export interface Process {
  isAlive(): boolean
  /** Nothing of a dead process continues. */
  live(): void
  /** Makes one durable change, unless the process is killed right before it; it may be killed right after it. */
  write<T>(change: () => T): T
}

/** `mayDie` is asked at every moment between two writes. */
export function createProcess(mayDie: () => boolean): Process {
  let alive = true
  const live = () => {
    if (!alive) throw new Error('killed')
  }
  const moment = () => {
    if (mayDie()) alive = false
    live()
  }
  return {
    isAlive: () => alive,
    live,
    write(change) {
      live()
      moment()
      const result = change()
      moment()
      return result
    },
  }
}

export interface DiskOwner {
  projectId: string
  disk: Disk
  process: Process
  clock: { now(): Date }
  paths: ProjectPaths
  /** Somebody else writes in the moment before us. */
  interfere(sessionId: string): void
}

export function createMemoryStore({ projectId, disk, process, clock, paths, interfere }: DiskOwner): SessionStore {
  const append = (sessionId: string, bodies: SessionEventBody[]): SessionEvent[] => {
    if (bodies.length === 0) return []
    return process.write(() => {
      const history = disk.histories.get(sessionId) ?? []
      const at = clock.now().toISOString()
      const events = bodies.map((body, index) => ({ seq: history.length + 1 + index, at, sessionId, ...body }))
      disk.histories.set(sessionId, [...history, ...events])
      return events
    })
  }
  const store: Partial<SessionStore> = {
    projectId,
    paths,
    ensure: () => undefined,
    list: () => [...disk.records.keys()].sort(),
    read(sessionId) {
      process.live()
      const pairs = disk.records.get(sessionId)
      return pairs
        ? { id: sessionId, pairs: { ...pairs }, record: readRecord(pairs), problems: [], modifiedAt: clock.now() }
        : null
    },
    readAll: () => [...disk.records.keys()].sort().map((sessionId) => store.read!(sessionId)!),
    isFollowed: () => false,
    async update(sessionId, change, events = [], why = []) {
      interfere(sessionId)
      const before = { ...disk.records.get(sessionId) }
      const step = mergeRecord({ clock }, before, change, (record) => ({
        events: typeof events === 'function' ? events(record) : events,
        why,
      }))
      const { pairs } = step
      append(sessionId, step.events)
      if (JSON.stringify(pairs) !== JSON.stringify(before)) process.write(() => disk.records.set(sessionId, pairs))
      return storedSession({ id: sessionId, pairs }, projectId)
    },
    appendEvents: async (sessionId, bodies) => append(sessionId, bodies),
    readHistory(sessionId) {
      process.live()
      return { events: disk.histories.get(sessionId) ?? [], problems: [] }
    },
    readAllArchived: () => [],
  }
  return store as SessionStore
}

export function createMemoryReactions({ disk, process }: Pick<DiskOwner, 'disk' | 'process'>): ReactionStore {
  return {
    read(_projectId, sessionId) {
      process.live()
      return JSON.parse(disk.memories.get(sessionId) ?? '{}') as ReactionMemory
    },
    write(_projectId, sessionId, { before, after }) {
      const text = JSON.stringify(after)
      if (text === JSON.stringify(before)) return
      process.write(() => disk.memories.set(sessionId, text))
    },
  }
}
