import { expect, it } from 'vitest'
import type { SessionRecord } from '../../contract/record.ts'
import { recordedRisk } from './recorded-risk.ts'

const size = { files: 1, lines: 5, sensitive: [], reverts: 0 }
const record = {
  changedChecks: { head: 'aaa', size, paths: [] },
  meets: [{ conflict: true }, { conflict: false }, { conflict: 'unknown' }],
} as unknown as SessionRecord
const texts = (of: SessionRecord, head: string | null) =>
  recordedRisk(of, head)
    .terms.map(({ text }) => text)
    .join('; ')

it('counts what was measured of this head, and everything else as unknown', () => {
  expect(texts(record, 'aaa')).toMatch(/5 lines in 1 file/)
  for (const head of ['bbb', null]) expect(texts(record, head)).not.toMatch(/5 lines/)
  expect(recordedRisk(record, 'aaa').score).toBeLessThan(recordedRisk(record, 'bbb').score)
})

it('counts the branches that conflict with it, and an unseen radar as unknown', () => {
  expect(texts(record, 'aaa')).toMatch(/conflicts with 1 other branch/)
  expect(texts({ ...record, meets: undefined } as SessionRecord, 'aaa')).toMatch(/whether it conflicts .* is unknown/)
})
