import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import type { ActivityState } from '../contract/status.ts'
import { readLastActivityEntry, recordActivityEntry } from './activity-log.ts'

let temp: TempHome
let file: string

beforeEach(() => {
  temp = createTempHome()
  file = join(temp.home, '.ao', 'activity.jsonl')
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds))
const record = (state: ActivityState, seconds: number) =>
  recordActivityEntry(temp.home, { state, source: 'terminal' }, at(seconds))
const states = () =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { state: string }).state)

describe('recordActivityEntry', () => {
  it('S1.68 S1.69 appends one JSON line to .ao/activity.jsonl', () => {
    expect(recordActivityEntry(temp.home, { state: 'active', source: 'terminal', trigger: '> typing' }, at(0))).toBe(
      true,
    )
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      ts: '2026-01-01T00:00:00.000Z',
      state: 'active',
      source: 'terminal',
      trigger: '> typing',
    })
  })

  it('S1.70 notes an equal state again only after 20 seconds', () => {
    expect([record('active', 0), record('active', 19), record('active', 20), record('active', 21)]).toEqual([
      true,
      false,
      true,
      false,
    ])
    expect(states()).toEqual(['active', 'active'])
  })

  it('S1.70 notes every change, and every sighting that a person must act on', () => {
    record('active', 0)
    record('ready', 1)
    record('active', 2)
    record('waiting_input', 3)
    record('waiting_input', 4)
    record('blocked', 5)
    record('blocked', 6)
    expect(states()).toEqual(['active', 'ready', 'active', 'waiting_input', 'waiting_input', 'blocked', 'blocked'])
  })

  it('is not silenced by a clock that was set back', () => {
    record('active', 100)
    expect(record('active', 50)).toBe(true)
  })

  it('does not glue its line to one that was left half', () => {
    record('active', 0)
    appendFileSync(file, '{"ts":"2026')
    record('ready', 1)
    expect(readLastActivityEntry(temp.home)?.state).toBe('ready')
  })

  it('does not write through a link of the repository', () => {
    mkdirSync(join(temp.home, '.ao'))
    symlinkSync(join(temp.home, 'victim'), file)
    expect(() => record('active', 0)).toThrow(/symbolic link/)
    expect(existsSync(join(temp.home, 'victim'))).toBe(false)
  })
})

describe('S1.71 readLastActivityEntry', () => {
  it('is null where there is none', () => {
    expect(readLastActivityEntry(temp.home)).toBeNull()
    mkdirSync(join(temp.home, '.ao'))
    writeFileSync(file, 'garbage\n{}\n{"ts":"x","state":"active"}\n')
    expect(readLastActivityEntry(temp.home)).toBeNull()
  })

  it('is the newest readable one, from the end of a long file', () => {
    mkdirSync(join(temp.home, '.ao'))
    const old = JSON.stringify({ ts: at(0).toISOString(), state: 'idle', source: 'terminal' })
    const last = JSON.stringify({
      ts: at(9).toISOString(),
      state: 'blocked',
      source: 'terminal',
      trigger: 'rate limit',
    })
    writeFileSync(file, `${`${old}\n`.repeat(5_000)}${last}\nbroken\n{"ts":`)
    expect(readLastActivityEntry(temp.home)).toEqual({
      at: at(9),
      state: 'blocked',
      source: 'terminal',
      trigger: 'rate limit',
    })
  })
})
