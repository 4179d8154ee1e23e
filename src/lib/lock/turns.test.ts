import { describe, expect, it } from 'vitest'
import { createTurns } from './turns.ts'

describe('turns', () => {
  it('run one after another under a key, in the order of the calls, beside those of other keys', async () => {
    const turns = createTurns()
    const events: string[] = []
    const first = Promise.withResolvers<void>()
    const work = (name: string, until?: Promise<void>) => async () => {
      events.push(`${name} begins`)
      await until
      events.push(`${name} ends`)
      return name
    }
    const all = Promise.all([
      turns.run('a', work('1', first.promise)),
      turns.run('a', work('2')),
      turns.run('b', work('other')),
    ])
    await expect.poll(() => events).toContain('other ends')
    expect(events).not.toContain('2 begins')
    first.resolve()
    expect(await all).toEqual(['1', '2', 'other'])
    expect(events.indexOf('2 begins')).toBeGreaterThan(events.indexOf('1 ends'))
  })

  it('continue after one that failed, and forget a key that nobody waits for', async () => {
    const turns = createTurns()
    const failing = turns.run('a', () => {
      throw new Error('no')
    })
    const next = turns.run('a', () => 'next')
    expect(turns.isTaken('a')).toBe(true)
    await expect(failing).rejects.toThrow('no')
    expect(await next).toBe('next')
    await expect.poll(() => turns.isTaken('a')).toBe(false)
  })

  it('keep their order when one of them leaves before it has begun', async () => {
    const turns = createTurns()
    const first = turns.join('a')
    const second = turns.join('a')
    const third = turns.run('a', () => 'third')
    second.leave()
    expect(await Promise.race([third, new Promise((resolve) => setImmediate(resolve, 'waits'))])).toBe('waits')
    first.leave()
    expect(await third).toBe('third')
  })
})
