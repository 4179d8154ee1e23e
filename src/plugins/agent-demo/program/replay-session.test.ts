import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../../../test/support/temp-home.ts'
import type { Step } from '../script/script.ts'
import { openSessionLog, readSessionLog } from '../session-log.ts'
import type { DemoRecordBody } from '../session-records.ts'
import { replaySession } from './replay-session.ts'

const say = (text: string): Step => ({ verb: 'say', text })
const started: DemoRecordBody = { type: 'session.started', id: 'one', pid: 1, cwd: '/', resumed: false, hasWork: false }

let temp: TempHome
let file: string

beforeEach(() => {
  temp = createTempHome()
  file = join(temp.home, 'state', 'demo-session.jsonl')
})

afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

function record(...records: DemoRecordBody[]): void {
  const log = openSessionLog(file, { now: () => new Date('2026-01-02T03:04:05Z') })
  for (const one of records) log.add(one)
  log.close()
}

describe('replaySession', () => {
  it('knows what is left of a turn that was cut off', () => {
    record(
      started,
      { type: 'message.received', number: 1, text: 'task' },
      { type: 'turn.started', message: 1 },
      { type: 'plan', steps: [say('a'), say('b'), say('c')], reactions: [{ on: 'message', steps: [] }] },
      { type: 'step.done', index: 0 },
      { type: 'message.received', number: 2, text: 'queued' },
    )
    expect(replaySession(readSessionLog(file), 'one')).toEqual({
      id: 'one',
      steps: [say('b'), say('c')],
      reactions: [{ on: 'message', steps: [] }],
      pending: [{ number: 2, text: 'queued' }],
      messageCount: 2,
      cutOff: true,
    })
  })

  it('has nothing left after a finished turn, and keeps the rest after a failed one', () => {
    record(started, { type: 'turn.started', message: null }, { type: 'plan', steps: [say('a')], reactions: [] })
    record({ type: 'turn.ended', how: 'failed', text: '' })
    expect(replaySession(readSessionLog(file), 'one')).toMatchObject({ steps: [say('a')], cutOff: false })
    record({ type: 'turn.ended', how: 'finished', text: '' })
    expect(replaySession(readSessionLog(file), 'one')).toMatchObject({ steps: [], cutOff: false })
  })

  it('does not take an answer for a message that still waits', () => {
    record(started, { type: 'message.received', number: 1, text: 'yes' }, { type: 'answered', message: 1 })
    expect(replaySession(readSessionLog(file), 'one')?.pending).toEqual([])
  })

  it('does not resume another conversation', () => {
    record(started, { ...started, id: 'two' } as DemoRecordBody)
    expect(replaySession(readSessionLog(file), 'one')).toBeNull()
    expect(replaySession([], 'one')).toBeNull()
  })

  it('loses only the line that a crash cut off', () => {
    record(started)
    appendFileSync(file, '{"type":"said","te')
    record({ type: 'message.received', number: 1, text: 'after' })
    expect(readSessionLog(file).map((one) => one.type)).toEqual(['session.started', 'message.received'])
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4)
  })
})
