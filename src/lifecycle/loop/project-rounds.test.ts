import { expect, it } from 'vitest'
import { createProjectRounds, type Round } from './project-rounds.ts'

interface Control {
  rounds: ReturnType<typeof createProjectRounds>
  seen: Round[]
  failures: string[]
  finish(error?: Error): void
  most(): number
}

function create(): Control {
  const seen: Round[] = []
  const failures: string[] = []
  let running = 0
  let most = 0
  let finish: (error?: Error) => void = () => undefined
  const rounds = createProjectRounds(
    (round) => {
      seen.push(round)
      running += 1
      most = Math.max(most, running)
      return new Promise<void>((resolve, reject) => {
        finish = (error) => {
          running -= 1
          if (error) reject(error)
          else resolve()
        }
      })
    },
    (why) => void failures.push(why),
  )
  return { rounds, seen, failures, finish: (error) => finish(error), most: () => most }
}

it('takes what changed within a moment as one round, and names the sessions', async () => {
  const { rounds, seen, finish } = create()
  rounds.trigger({ session: 'a' })
  rounds.trigger({ session: 'b' })
  rounds.trigger({ session: 'a' })
  await expect.poll(() => seen.length).toBe(1)
  expect(seen[0]).toEqual({ only: new Set(['a', 'b']), askForge: false, isPoll: false })
  finish()
  await rounds.stop()
})

it('never runs two ticks at once; what arrives during one is handled by the next', async () => {
  const { rounds, seen, finish, most } = create()
  rounds.trigger({ poll: true })
  await expect.poll(() => seen.length).toBe(1)
  for (let index = 0; index < 50; index++) rounds.trigger({ session: `s${index}` })
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(seen).toHaveLength(1)
  finish()
  await expect.poll(() => seen.length).toBe(2)
  expect(seen[1]?.only?.size).toBe(50)
  finish()
  await rounds.stop()
  expect(most()).toBe(1)
})

it('continues after a round that failed, and says so', async () => {
  const { rounds, seen, failures, finish } = create()
  rounds.trigger({ forge: true })
  await expect.poll(() => seen.length).toBe(1)
  expect(seen[0]).toMatchObject({ only: null, askForge: true, isPoll: false })
  finish(new Error('no'))
  await expect.poll(() => failures).toEqual(['no'])
  rounds.trigger({ session: 'a' })
  await expect.poll(() => seen.length).toBe(2)
  finish()
  await rounds.stop()
})

it('begins nothing after the end', async () => {
  const { rounds, seen } = create()
  rounds.trigger({ session: 'a' })
  await rounds.stop()
  rounds.trigger({ poll: true })
  await rounds.next()
  expect(seen).toEqual([])
})
