// The events of one type, with what that type holds.
import type { EventType, SessionEvent } from '../../src/contract/agh/events.ts'

export function ofType<T extends EventType>(events: readonly SessionEvent[], ...types: T[]): SessionEvent<T>[] {
  return events.filter(({ type }) => (types as EventType[]).includes(type)) as SessionEvent<T>[]
}
