import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { joinListeners } from './take-turns.ts'

/** Waits one round of the event loop after the other, until it holds. */
async function rounds(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}

function busy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

it('reads many streams in turn, each as often as the others, and lets the loop continue in between', async () => {
  const heard = [0, 0, 0, 0]
  let ticks = 0
  const timer = setInterval(() => {
    ticks++
  }, 1)
  const streams = heard.map((_, index) => {
    const stream = new Readable({ read: () => stream.push(Buffer.from('chunk')) })
    const listener = joinListeners(stream)
    stream.on('data', () =>
      listener.take(() => {
        heard[index]!++
        busy(4)
      }),
    )
    return { stream, listener }
  })
  await rounds(() => Math.min(...heard) >= 8)
  clearInterval(timer)
  for (const { stream, listener } of streams) {
    listener.leave()
    stream.destroy()
  }
  const [least, most] = [Math.min(...heard), Math.max(...heard)]
  expect(most - least).toBeLessThanOrEqual(1)
  // Without turns the timer would not be heard at all.
  expect(ticks).toBeGreaterThan(8)
})

it('leaves a stream alone that its own reader has blocked', async () => {
  let taken = 0
  const stream = new Readable({ read: () => stream.push(Buffer.from('chunk')) })
  const listener = joinListeners(stream)
  stream.on('data', () =>
    listener.take(() => {
      taken++
      busy(4)
      if (taken === 2) listener.block()
    }),
  )
  let passed = 0
  await rounds(() => taken === 2 && passed++ > 20)
  expect(taken).toBe(2)
  listener.unblock()
  await rounds(() => taken > 2)
  listener.leave()
  stream.destroy()
})
