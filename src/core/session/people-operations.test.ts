import { expect, it } from 'vitest'
import type { SessionEvent, SessionEventBody } from '../../contract/events.ts'
import { operationsOf, undoCommand } from './people-operations.ts'

const history = (...bodies: SessionEventBody[]): SessionEvent[] =>
  bodies.map((body, at) => ({ ...body, seq: at + 1, at: `2026-01-01T00:00:0${at}Z`, sessionId: 'app-1' }))
const by = 'the user'
const queued = { type: 'message.queued', messageId: 'm', text: 'hello', source: 'user' } as const

it.each<[string, SessionEventBody[], string]>([
  ['a kill', [{ type: 'operation.started', operation: 'kill', by }], 'ao session restore app-1'],
  ['a restore', [{ type: 'operation.started', operation: 'restore', by }], 'ao session kill app-1'],
  [
    'a rewind',
    [{ type: 'session.rewound', turn: 2, saved: 5, by, conversation: 'back' }],
    'ao session rewind app-1 --to 5',
  ],
  [
    'a rewind of files alone',
    [{ type: 'session.rewound', turn: 2, saved: 5, by, conversation: 'kept' }],
    'ao session rewind app-1 --to 5 --files-only',
  ],
  ['a message that waits', [queued], 'ao session messages app-1 --withdraw m'],
  ['a first name', [{ type: 'session.renamed', title: 'x' }], 'ao session rename app-1 --reset'],
  ['a first budget', [{ type: 'budget.changed', usd: 5 }], 'ao session budget app-1 --reset'],
])('%s can be undone', (_, events, command) => {
  const [operation] = operationsOf(history(...events))
  expect(operation).toMatchObject({ id: 'app-1@1', isUndone: false, why: null })
  expect(undoCommand(operation!)).toBe(command)
})

it('goes back to the name and the budget before, not to those before them', () => {
  const names = ['one', 'two'].map((title) => ({ type: 'session.renamed', title }) as const)
  expect(operationsOf(history(...names))).toMatchObject([{ undo: null, isUndone: true }, { undo: { title: 'one' } }])
})

it.each<[string, SessionEventBody[], string]>([
  ['a message that was read', [queued, { type: 'message.seen', messageId: 'm' }], 'its agent has it'],
  [
    'a kill before a merge',
    [
      { type: 'operation.started', operation: 'kill', by },
      { type: 'status.changed', from: 'killed', to: 'merged', evidence: [] },
    ],
    'its pull request is merged',
  ],
  [
    'a message whose files were saved',
    [
      queued,
      { type: 'message.handed_over', messageId: 'm' },
      { type: 'turn.saved', turn: 3, message: 'm' } as unknown as SessionEventBody,
    ],
    'ao session rewind app-1 --to 3',
  ],
  ['a merge', [{ type: 'status.changed', from: null, to: 'merged', evidence: [] }], 'git revert'],
])('%s says why not, and what to do instead', (_, events, why) => {
  const [operation] = operationsOf(history(...events))
  expect(operation).toMatchObject({ undo: null, isUndone: false, why: expect.stringContaining(why) })
})

it('a cleanup after a merge brings nothing back, as restore would say', () => {
  const events: SessionEventBody[] = [
    { type: 'status.changed', from: 'mergeable', to: 'merged', evidence: [] },
    { type: 'operation.started', operation: 'cleanup', by },
  ]
  const [, cleanup] = operationsOf(history(...events))
  expect(cleanup).toMatchObject({ undo: null, why: expect.stringContaining('the work is complete') })
})

it('is about people: what the loop ends, sends or takes back is not in it', () => {
  const others: SessionEventBody[] = [
    { type: 'operation.started', operation: 'kill', by: 'the reaction ci-failed' },
    { type: 'operation.started', operation: 'kill' },
    { type: 'message.queued', messageId: 'n', text: 'CI is red', source: 'ci-failed' },
  ]
  expect(operationsOf(history(...others))).toEqual([])
})

it.each<[string, SessionEventBody[], string]>([
  [
    'a kill before a restore',
    [
      { type: 'operation.started', operation: 'kill', by },
      { type: 'operation.started', operation: 'restore', by },
    ],
    'it was restored since',
  ],
  [
    'a restore before a cleanup',
    [
      { type: 'operation.started', operation: 'restore', by },
      { type: 'operation.started', operation: 'cleanup', by },
    ],
    'it was ended since',
  ],
  [
    'a message that was taken back',
    [queued, { type: 'message.withdrawn', messageId: 'm', why: 'by a person' }],
    'it was not delivered',
  ],
])('%s was undone, and says how', (_, events, why) => {
  const [operation] = operationsOf(history(...events))
  expect(operation).toMatchObject({ undo: null, isUndone: true, why: expect.stringContaining(why) })
})
