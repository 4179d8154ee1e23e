// The way through the house stays as short as it is. `npm run walk -- <flow>` shows what a flow executes, in order.
import { expect, it } from 'vitest'
import { overBudget, raisedBudgets, readBudgets } from './budget.ts'
import { countWalk } from './count-walk.ts'
import { recordFlows } from './flows.ts'

it('no flow enters more files or goes back more often than its budget says', async () => {
  expect(overBudget(await recordFlows(), readBudgets())).toEqual([])
}, 120_000)

it('no budget was raised', () => {
  expect(raisedBudgets()).toEqual([])
})

it('a return is a new function of a file that was left, called from where it was not called before', () => {
  const walk = (...calls: Array<[from: string, file: string, name: string]>) =>
    countWalk(calls.map(([from, file, name], at) => ({ at, file, name: `${name}:1`, from })))
  const start = [
    ['-', 'a', 'start'],
    ['a', 'b', 'read'],
  ] as Array<[string, string, string]>
  expect(walk(...start)).toMatchObject({ files: 2, returns: 0 })
  // Its own function, the same call again, and another function of the file that one has just come to.
  expect(walk(...start, ['a', 'a', 'finish'])).toMatchObject({ files: 2, returns: 0 })
  expect(walk(...start, ['a', 'c', 'x'], ['a', 'b', 'write'])).toMatchObject({ files: 3, returns: 0 })
  expect(walk(...start, ['c', 'b', 'write'])).toMatchObject({ files: 2, returns: 0 })
  expect(walk(...start, ['a', 'c', 'x'], ['c', 'b', 'write'])).toMatchObject({ files: 3, returns: 1 })
  expect(walk(...start, ['b', 'a', 'report'])).toMatchObject({ files: 2, returns: 1 })
})
