import { expect, it } from 'vitest'
import { after, lastNumber, logLine, readLog } from './far-log.ts'

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
