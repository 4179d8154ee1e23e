// What people did to a session, and how each of it is undone. From the history alone, which has everything that happened.
import { type SessionEvent, THE_USER } from '../../contract/events.ts'

/** A command that takes it back. */
export type UndoStep =
  | { do: 'restore' | 'kill' | 'settings' }
  | { do: 'rewind'; turn: number; filesOnly: boolean }
  | { do: 'withdraw'; messageId: string }
  | { do: 'rename'; title: string | null }
  | { do: 'budget'; usd: number | null }

export interface PersonOperation {
  /** `{session}@{number of its event}`, or `settings`. */
  id: string
  at: string
  /** `-`: it is about none. */
  sessionId: string
  what: string
  /** null: it cannot be undone, or was already. */
  undo: UndoStep | null
  /** Then why, and what to do instead. */
  why: string | null
  isUndone: boolean
}

export const PEOPLE_TYPES: ReadonlySet<SessionEvent['type']> = new Set([
  'operation.started',
  'status.changed',
  'session.rewound',
  'session.renamed',
  'budget.changed',
  'turn.saved',
  'message.queued',
  'message.handed_over',
  'message.seen',
  'message.undelivered',
  'message.withdrawn',
])

/** Of one session, in the order of its history. */
export function operationsOf(events: readonly SessionEvent[]): PersonOperation[] {
  return events.flatMap(
    (event, at) =>
      describe(
        event,
        () => events.slice(0, at),
        () => events.slice(at + 1),
      ) ?? [],
  )
}

type Events = readonly SessionEvent[]

function describe(event: SessionEvent, before: () => Events, after: () => Events): PersonOperation | null {
  const { sessionId, seq, at } = event
  const operation = (what: string, how: Partial<PersonOperation>): PersonOperation => ({
    ...{ id: `${sessionId}@${seq}`, at, sessionId, what, undo: null, why: null, isUndone: false },
    ...how,
  })
  switch (event.type) {
    case 'operation.started':
      if (event.by !== THE_USER || event.operation === 'spawn' || event.operation === 'rewind') return null
      return operation(event.operation, undoEnd(event.operation, before(), after()))
    case 'session.rewound': {
      if (event.by !== THE_USER) return null
      const isUndone = after().some((one) => one.type === 'session.rewound' && one.turn === event.saved)
      // A conversation that stayed has gone on since.
      const undo = { do: 'rewind', turn: event.saved, filesOnly: event.conversation !== 'back' } as const
      return operation(`rewind to turn ${event.turn}`, isUndone ? UNDONE : { undo })
    }
    case 'message.queued':
      if (event.source !== 'user') return null
      return operation(`send: ${event.text}`, undoMessage(event.messageId, sessionId, after()))
    case 'status.changed':
      if (event.to !== 'merged') return null
      return operation('merge', {
        why: 'it is on the base branch, and others may have it. Revert it there: git revert',
      })
    case 'session.renamed': {
      const title = lastOf(before(), 'session.renamed')?.title ?? null
      const isUndone = after().some((one) => one.type === 'session.renamed')
      return operation(
        `rename: ${event.title ?? 'after its task'}`,
        isUndone ? UNDONE : { undo: { do: 'rename', title } },
      )
    }
    case 'budget.changed': {
      const usd = lastOf(before(), 'budget.changed')?.usd ?? null
      const isUndone = after().some((one) => one.type === 'budget.changed')
      const what = event.usd === null ? 'as in the configuration' : `$${event.usd.toFixed(2)}`
      return operation(`budget: ${what}`, isUndone ? UNDONE : { undo: { do: 'budget', usd } })
    }
    default:
      return null
  }
}

const UNDONE: Partial<PersonOperation> = { isUndone: true, why: 'it was changed again since' }

function undoEnd(kind: 'kill' | 'restore' | 'cleanup', before: Events, after: Events): Partial<PersonOperation> {
  const opposite = kind === 'restore' ? ['kill', 'cleanup'] : ['restore']
  if (after.some((one) => one.type === 'operation.started' && opposite.includes(one.operation)))
    return { ...UNDONE, why: kind === 'restore' ? 'it was ended since' : 'it was restored since' }
  // Nothing leads on from there.
  const isMerged = [...before, ...after].some((one) => one.type === 'status.changed' && one.to === 'merged')
  if (kind !== 'restore' && isMerged)
    return { why: 'its pull request is merged, the work is complete. Start anew with: ao spawn' }
  return { undo: { do: kind === 'restore' ? 'kill' : 'restore' } }
}

function undoMessage(messageId: string, sessionId: string, after: Events): Partial<PersonOperation> {
  const own = after.filter((one) => 'messageId' in one && one.messageId === messageId)
  const became = (...types: SessionEvent['type'][]) => own.some(({ type }) => types.includes(type))
  if (became('message.withdrawn', 'message.undelivered')) return { isUndone: true, why: 'it was not delivered' }
  if (!became('message.handed_over', 'message.seen')) return { undo: { do: 'withdraw', messageId } }
  const saved = after.find((one) => one.type === 'turn.saved' && one.message === messageId)
  const instead =
    saved?.type === 'turn.saved'
      ? `Take its files back: ao session rewind ${sessionId} --to ${saved.turn}`
      : `Say what you want instead: ao send ${sessionId}`
  return { why: `its agent has it. ${instead}` }
}

function lastOf<T extends SessionEvent['type']>(events: Events, type: T) {
  return events.findLast((one): one is Extract<SessionEvent, { type: T }> => one.type === type)
}

/** As a person would type it. */
export function undoCommand({ sessionId, undo }: Pick<PersonOperation, 'sessionId' | 'undo'>): string {
  switch (undo?.do) {
    case 'settings':
      return 'ao config undo'
    case 'rewind':
      return `ao session rewind ${sessionId} --to ${undo.turn}${undo.filesOnly ? ' --files-only' : ''}`
    case 'withdraw':
      return `ao session messages ${sessionId} --withdraw ${undo.messageId}`
    case 'rename':
      return `ao session rename ${sessionId} ${undo.title === null ? '--reset' : JSON.stringify(undo.title)}`
    case 'budget':
      return `ao session budget ${sessionId} ${undo.usd ?? '--reset'}`
    default:
      return `ao session ${undo?.do} ${sessionId}`
  }
}
