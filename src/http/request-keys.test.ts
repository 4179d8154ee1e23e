import { readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { silentLog } from '../lib/log.ts'
import { type KeptAnswer, openRequestKeys, readRequestKey } from './request-keys.ts'

let temp: TempHome
let directory: string
let now: Date
beforeEach(() => {
  temp = createTempHome()
  directory = join(temp.home, 'requests')
  now = new Date()
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const open = (most?: number) =>
  openRequestKeys({ directory, clock: { now: () => now }, log: silentLog, ...(most ? { most } : {}) })
const created = (value: unknown): KeptAnswer => ({ status: 201, value, isError: false })

/** Counts how often it was done. */
function counted(answer: KeptAnswer = created({ id: 'app-1' })) {
  const act = async () => {
    act.times += 1
    return answer
  }
  act.times = 0
  return act
}
const request = (key: string, content = 'POST /api/sessions\n{}') => ({ key, content })

describe('a request with an Idempotency-Key', () => {
  it.each([
    ['a success', created({ id: 'app-1' })],
    ['an error', { status: 409, value: { error: { code: 'SESSION_BUSY' } }, isError: true }],
  ])('is carried out once and answered alike, after a restart too: %s', async (_what, answer) => {
    const act = counted(answer)
    expect(await open().once(request('k'), act)).toEqual({ answer, isReplay: false })
    // A second server on the same directory, as after a restart.
    for (const keys of [open(), open()]) expect(await keys.once(request('k'), act)).toEqual({ answer, isReplay: true })
    expect(act.times).toBe(1)
    await open().once(request('another'), act)
    expect(act.times).toBe(2)
  })

  it('is refused with another content, also while the first is at work', async () => {
    const act = counted()
    const keys = open()
    const first = keys.once(request('k'), act)
    await expect(keys.once(request('k', 'POST /api/sessions\n{"a":1}'), act)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
      httpStatus: 422,
    })
    await first
    await expect(open().once(request('k', 'other'), act)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
    expect(act.times).toBe(1)
  })

  it('is carried out once when it comes many times at once', async () => {
    const act = counted()
    const keys = open()
    const all = await Promise.all(Array.from({ length: 20 }, () => keys.once(request('k'), act)))
    expect(act.times).toBe(1)
    expect(all.filter(({ isReplay }) => !isReplay)).toHaveLength(1)
    expect(new Set(all.map(({ answer }) => JSON.stringify(answer))).size).toBe(1)
  })

  it('is not repeated when nobody knows how it ended: its server was killed, or its file is damaged', async () => {
    const act = counted()
    const never = open().once(request('k'), () => new Promise(() => undefined))
    void never
    const [name] = readdirSync(directory)
    const file = join(directory, name!)
    // The same process, but no longer at work on it: as far as this server knows, it has died.
    await expect(open().once(request('k'), act)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', httpStatus: 409 })
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { owner: string }
    writeFileSync(file, JSON.stringify({ ...kept, owner: kept.owner.replace(/^\d+/, '1') }))
    await expect(open().once(request('k'), act)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    for (const damage of ['', '{', '[]', '{"fingerprint":1}']) {
      writeFileSync(file, damage)
      await expect(open().once(request('k'), act)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    }
    expect(act.times).toBe(0)
  })

  it('is answered although its answer cannot be kept, and then not repeated', async () => {
    const away = `${directory}.away`
    const { answer } = await open().once(request('k'), async () => {
      renameSync(directory, away)
      return created('done')
    })
    expect(answer).toEqual(created('done'))
    renameSync(away, directory)
    await expect(open().once(request('k'), counted())).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  })

  it('is not begun when its intent cannot be written', async () => {
    writeFileSync(directory, 'a file where the directory should be')
    const act = counted()
    await expect(open().once(request('k'), act)).rejects.toThrow()
    expect(act.times).toBe(0)
    rmSync(directory)
  })

  it('is forgotten after a day, and the oldest beyond the limit', async () => {
    const act = counted()
    for (const key of ['a', 'b', 'c']) await open().once(request(key), act)
    const age = (key: string, minutes: number) => {
      const kept = readdirSync(directory).map((name) => join(directory, name))
      const at = new Date(now.getTime() - minutes * 60_000)
      utimesSync(kept[['a', 'b', 'c'].indexOf(key)]!, at, at)
    }
    for (const [index, key] of ['a', 'b', 'c'].entries()) age(key, 30 - index)
    await open(2).once(request('d'), act)
    // Two of the three, and the new one.
    expect(readdirSync(directory)).toHaveLength(3)
    now = new Date(now.getTime() + 25 * 60 * 60_000)
    expect(await open().once(request('d'), act)).toMatchObject({ isReplay: false })
    expect(readdirSync(directory)).toHaveLength(1)
  })
})

describe('the header', () => {
  it.each(['', 'two words', 'ä', 'x'.repeat(256), ['a', 'b']])('is refused when it is %j', (header) => {
    expect(() => readRequestKey(header)).toThrow(/Idempotency-Key/)
  })

  it('may be missing', () => {
    expect(readRequestKey(undefined)).toBeNull()
    expect(readRequestKey('0f8fad5b-d9cb-469f-a165-70867728950e')).toHaveLength(36)
  })
})
