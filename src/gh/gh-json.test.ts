import { expect, it } from 'vitest'
import { inWholeSeconds } from './gh-json.ts'

it('times are whole seconds, as GitHub writes them; text that looks like one is left alone', () => {
  const time = '2026-11-15T18:59:39.781Z'
  const answer = { createdAt: time, body: time, jobs: [{ started_at: time, completed_at: null, committedDate: time }] }
  const cut = '2026-11-15T18:59:39Z'
  expect(inWholeSeconds(answer)).toEqual({
    createdAt: cut,
    body: time,
    jobs: [{ started_at: cut, completed_at: null, committedDate: cut }],
  })
})
