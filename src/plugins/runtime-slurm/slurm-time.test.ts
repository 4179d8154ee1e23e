import { expect, it } from 'vitest'
import { slurmSeconds } from './slurm-time.ts'

it.each([
  ['10', 600],
  ['10:30', 630],
  ['8:00:00', 28_800],
  ['1-2', 93_600],
  ['1-02:03', 93_780],
  ['1-02:03:04', 93_784],
  ['UNLIMITED', Number.POSITIVE_INFINITY],
  ['infinite', Number.POSITIVE_INFINITY],
  ['n/a', null],
  ['', null],
])('reads %j', (text, seconds) => {
  expect(slurmSeconds(text)).toBe(seconds)
})
