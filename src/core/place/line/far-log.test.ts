import { expect, it } from 'vitest'
import { after, lastNumber, logLine, readLog } from './far-log.ts'
import { abandonedAsks } from './waiting-asks.ts'

it('reads what was written, whatever a crash or a full disk cut off', () => {
  const torn = logLine({ n: 2 }).slice(0, 5)
  const facts = readLog(`${logLine({ n: 1 })}${torn}${logLine({ n: 3 })}null\n7\n`)
  expect(facts).toEqual([{ n: 1 }, { n: 3 }])
  expect(lastNumber(facts)).toBe(3)
  expect(after(facts, 1)).toEqual([{ n: 3 }])
  expect(after(facts, 3)).toEqual([])
})

it('of two lines with one number the first counts, because somebody may have read it', () => {
  expect(readLog('{"n":1,"type":"ask"}\n{"n":1,"type":"exit"}\n{"n":2}\n')).toEqual([{ n: 1, type: 'ask' }, { n: 2 }])
})

it('begins at zero, and passes over empty lines', () => {
  expect(lastNumber([])).toBe(0)
  expect(readLog('\n\n')).toEqual([])
  expect(after(readLog('\n{"n":1}\n\n'), 0)).toEqual([{ n: 1 }])
})

it.each([
  ['noted by an earlier line and answered by nobody', { n: 2, isTaken: false }, ['a']],
  ['of the last number that it read', { n: 3, isTaken: false }, ['a']],
  ['that home has not read yet', { n: 4, isTaken: false }, []],
  ['that this line has taken', { n: 2, isTaken: true }, []],
])('a command %s is cut off or waits', (_what, ask, cutOff) => {
  expect(abandonedAsks([{ id: 'a', ...ask }], 3).map(({ id }) => id)).toEqual(cutOff)
})
