// The loop without file descriptors: nothing can be read or started for a while, and afterwards it works as before.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

let world: AoWorld
beforeAll(() => {
  buildAo()
  world = createAoWorld({
    config: 'port: 0\nlifecycle: { pollSeconds: 1 }\nprojects:\n  app:\n    path: .\n    agent: demo\n',
  })
})
afterAll(async () => {
  await world.ao(['stop'])
  expect(await world.temp.cleanup()).toEqual([])
})

interface Listed {
  id: string
  status: string
}

/** The limit is about numbers, and the ones in use have gaps: the number below which this many are free. */
function numberAfter(used: ReadonlySet<number>, free: number): number {
  let number = 0
  for (let left = free; left > 0 || used.has(number); number++) if (!used.has(number)) left -= 1
  return number
}

it.runIf(process.platform === 'linux').each([0, 3, 6])('survives %d free descriptors and recovers', async (free) => {
  const { pid } = await world.json<{ pid: number }>(['start'])
  const spawned = await world.ao(['spawn', '--prompt', 'demo: say hello\ndemo: ask Which?'])
  const id = /^SESSION=(.*)$/m.exec(spawned.stdout)![1]!
  const limit = (soft: string) => execFileSync('prlimit', ['--pid', String(pid), `--nofile=${soft}:`])
  const logFile = () => {
    const run = join(world.temp.home, '.ao', 'run')
    return join(run, readdirSync(run).find((name) => name.endsWith('.log'))!)
  }
  const before = readFileSync(logFile(), 'utf8').length

  limit(String(numberAfter(new Set(readdirSync(`/proc/${pid}/fd`).map(Number)), free)))
  // Something to observe meanwhile, which needs files and programs.
  for (let n = 0; n < 3; n++) await world.ao(['send', id, `message ${n}`, '--no-wait'])
  if (free === 0)
    await waitFor('the loop to feel it', () => /EMFILE|[Tt]oo many/.test(readFileSync(logFile(), 'utf8').slice(before)))
  limit('4096')

  expect((await world.json<{ pid: number }>(['start'])).pid).toBe(pid)
  execFileSync('tmux', ['-L', 'ao', 'kill-server'], { env: world.temp.env })
  await waitFor(`${id} to be seen as dead by the loop`, () => {
    const data = join(world.temp.home, '.agent-orchestrator')
    const project = readdirSync(data).find((name) => name.endsWith('-app'))!
    return /^status=killed$/m.test(readFileSync(join(data, project, 'sessions', id), 'utf8'))
  })
  const { sessions } = await world.json<{ sessions: Listed[] }>(['session', 'ls'])
  expect(sessions.find((one) => one.id === id)).toMatchObject({ status: 'killed' })
})
