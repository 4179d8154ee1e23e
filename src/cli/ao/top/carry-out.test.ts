import { afterEach, expect, it } from 'vitest'
import { createTempStore, RESERVED, type TempStore } from '../../../../test/store/temp-store.ts'
import { THE_USER } from '../../../contract/events.ts'
import type { Io } from '../../print/io.ts'
import type { Ao } from '../open-ao.ts'
import { carryOut } from './carry-out.ts'

let temp: TempStore
afterEach(() => temp.temp.cleanup())

it('says on the board itself what came of undoing a rewind, and prints nothing over it', async () => {
  temp = createTempStore()
  const { store } = temp
  await store.reserve('app-1', { project: 'my-service' }, RESERVED)
  await store.appendEvents('app-1', [
    { type: 'session.rewound', turn: 1, saved: 2, by: THE_USER, conversation: 'kept' },
  ])
  const { seq } = store.readHistory('app-1').events.at(-1)!
  await store.archive('app-1')
  const ao = {
    config: { projects: { 'my-service': { id: 'my-service' } } },
    context: { config: { projects: { 'my-service': { id: 'my-service' } } }, store: () => store },
    manager: {
      rewind: async () => ({ notice: 'main is in use', conversation: 'kept', keptBecause: 'it is asked not to' }),
    },
  } as unknown as Ao
  const change = { kind: 'undo' as const, sessionId: 'app-1', operation: `app-1@${seq}`, what: '', command: '' }
  // An Io without anything: whatever is printed fails.
  const note = await carryOut(ao, {} as Io, change)
  expect(note).toMatch(/^undone: rewind to turn 1\. main is in use\. .*because it is asked not to\.$/)
})
