import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { changeSchedule, readSchedules } from './schedules.ts'

let directory: string
let file: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ao-schedules-'))
  file = join(directory, 'schedules.json')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const STATE = { since: '2026-01-01T00:00:00Z', runs: [], paused: true }

it.each([
  ['half of it', '{ "tidy": { "since": "2026-01'],
  ['no object', '[]'],
  ['zeroes', '\0\0\0'],
  ['one state among others', JSON.stringify({ tidy: STATE, other: { since: 'never' } })],
])('names a damaged file (%s), and never writes over what it held', async (_what, text) => {
  writeFileSync(file, text)
  expect(() => readSchedules(directory)).toThrow(`in ${file} cannot be read`)
  await expect(changeSchedule(directory, 'tidy', () => STATE)).rejects.toMatchObject({ code: 'METADATA_DAMAGED' })
  expect(readFileSync(file, 'utf8')).toBe(text)
})

it('begins with nothing where there is no file, and keeps what others wrote', async () => {
  expect(readSchedules(directory)).toEqual({})
  await changeSchedule(directory, 'tidy', () => STATE)
  await changeSchedule(directory, 'other', () => STATE)
  expect(readSchedules(directory)).toEqual({ tidy: STATE, other: STATE })
})
