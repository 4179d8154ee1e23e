// docs/reliability.md says what tests which fault: what it names exists, and its table is the one of the last record.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { CampaignResult } from '../torture/campaign.ts'
import { withTable } from '../torture/results.ts'
import { ROWS } from '../torture/rows.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

it('every fault has a campaign or a test, and these exist', () => {
  const sources = readdirSync(join(ROOT, 'torture')).filter((name) => name.endsWith('.torture.ts'))
  const text = sources.map((name) => read(`torture/${name}`)).join('\n')
  const isPlayed = (name: string) =>
    text.includes(`campaign('${name}'`) || text.includes(`campaign(\`${name.split(',')[0]}, `)
  for (const { fault, campaigns = [], tests = [] } of ROWS) {
    expect([...campaigns, ...tests], fault).not.toEqual([])
    expect(campaigns.filter((name) => !isPlayed(name))).toEqual([])
    expect(tests.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
  }
})

it('the table is up to date; AO_RECORD=1 npm run torture writes it', () => {
  const results = JSON.parse(read('torture/results.json')) as CampaignResult[]
  expect(read('docs/reliability.md')).toBe(withTable(read('docs/reliability.md'), results))
})
