import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readExit, readLaunches, removeLaunch, writeExit } from './launches.ts'

let stateDir: string
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'launches-'))
})
afterEach(() => rmSync(stateDir, { recursive: true, force: true }))

const exit = { spawnId: 's1', code: 4, signal: null, at: '2026-01-01T00:00:00.000Z', screen: 'bye', why: 'it was done' }

describe('the end of a launch', () => {
  it('is recorded also where its host never had a directory, as for an agent in a place', () => {
    expect(readExit(stateDir, 's1')).toBeNull()
    writeExit(stateDir, exit)
    expect(readExit(stateDir, 's1')).toEqual(exit)
    expect(readExit(stateDir, 's2')).toBeNull()
    expect(readLaunches(stateDir)).toEqual([])
    removeLaunch(stateDir, 's1')
    expect(readdirSync(stateDir)).toEqual([])
  })

  it('is read as an older version recorded it', () => {
    const { code, ...rest } = exit
    writeFileSync(join(stateDir, 'process-exit-s1.json'), JSON.stringify({ ...rest, exitCode: code }))
    expect(readExit(stateDir, 's1')).toEqual(exit)
    removeLaunch(stateDir, 's1')
    expect(readdirSync(stateDir)).toEqual([])
  })
})
