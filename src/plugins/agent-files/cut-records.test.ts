import { expect, it } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { textField } from '../../core/text/json-fields.ts'
import { type CutRules, cutRecords } from './cut-records.ts'

const rules: CutRules = {
  enteredText: (record) => textField(record, 'entered'),
  directory: (record) => textField(record, 'cwd'),
  copied: (record) => record,
}

it('finds a long message among many others without preparing it for each of them', () => {
  const timestamp = '2026-11-18T10:00:00.000Z'
  const line = (entered: string) => `${JSON.stringify({ entered, timestamp, cwd: '/work' })}\n`
  const message = 'a task of many words. '.repeat(4_000)
  const text = line('something else').repeat(20_000) + line(message)
  const point = { before: { text: message, since: new Date('2026-11-18T09:00:00Z') } }
  const startedAt = cpuMs()
  const cut = cutRecords({ text, rules, point, heldIn: ['/work'] })
  expect('records' in cut && cut.records).toHaveLength(20_000)
  expect(cpuMs() - startedAt).toBeLessThan(5_000)
})
