import { expect, it } from 'vitest'
import type { HistoryEvent } from '../../api/session-feed.ts'
import { endsAlone } from './ends-alone.ts'

const started = { type: 'runtime.started' }
const killed = { type: 'status.changed', to: 'killed' }
const commanded = (operation: string) => ({ type: 'operation.started', operation })

it.each([
  ['a crash', [commanded('spawn'), started, killed], [2]],
  ['a kill', [started, commanded('kill'), killed], []],
  ['a cleanup', [started, commanded('cleanup'), killed], []],
  ['a crash after a restore from a kill', [commanded('kill'), killed, commanded('restore'), started, killed], [4]],
  ['another status', [started, { type: 'status.changed', to: 'done' }], []],
])('%s', (_, events, alone) => {
  const history = events.map((event, seq) => ({ seq, ...event })) as HistoryEvent[]
  expect([...endsAlone(history)]).toEqual(alone)
})
