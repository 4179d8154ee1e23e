import { expect, it } from 'vitest'
import type { BoardRow } from '../../../core/board/board-rows.ts'
import { findPrinted } from './linear-board.ts'

const row = (key: string): BoardRow => ({
  ...{ key, sessionId: key, who: key, state: 'working', since: null, about: '', more: '', tone: 'working' },
})
const printed = [row('app-1'), row('app-2')]

it.each([
  ['is first by now', '2', [row('app-2'), row('app-1')], 'app-2'],
  ['is behind a new one', '1', [row('app-9'), row('app-1'), row('app-2')], 'app-1'],
  ['is gone', '1', [row('app-2')], undefined],
  ['was never printed', '3', [row('app-1'), row('app-2'), row('app-3')], undefined],
  ['is no row', '0', printed, undefined],
])('a number means the row that was printed with it, which %s', (_where, number, now, key) => {
  expect(findPrinted(printed, number, now)?.key).toBe(key)
})
