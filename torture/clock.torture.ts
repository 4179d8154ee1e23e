// npm run torture -- clock: the wall clock jumps under a running loop. Needs a C compiler for the library that moves it.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { identify } from '../src/lib/process/process-identity.ts'
import { buildAo, createAoWorld } from '../test/support/run-ao.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { campaign, triesOr } from './campaign.ts'

buildAo()

const HOUR = 3_600
const JUMPS = [HOUR, -HOUR, -24 * HOUR, -240 * HOUR, 400 * 24 * HOUR, -5, 5, 0]

const SESSIONS = 8

campaign('jumping clock', async (one) => {
  const config = 'port: 0\nlifecycle: { pollSeconds: 1 }\nprojects:\n  app:\n    path: .\n    agent: demo\n'
  const world = createAoWorld({ config })
  const library = join(world.temp.home, 'clock.so')
  const file = join(world.temp.home, 'offset')
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, join(import.meta.dirname, '../test/fixtures/jumping-clock.c')])
  writeFileSync(file, '0')
  const env = { LD_PRELOAD: library, AO_CLOCK_FILE: file }
  one.afterwards(async () => {
    await world.ao(['stop', '--sessions'])
    return world.temp.cleanup()
  })
  const { pid } = await world.json<{ pid: number }>(['start'], { env })
  for (let n = 0; n < SESSIONS; n++) await world.ao(['spawn', '--prompt', 'demo: ask Which?'], { env })
  const sessions = async () =>
    (await world.json<{ sessions: Array<{ id: string; status: string }> }>(['session', 'ls', '--all'], { env }))
      .sessions
  const all = async (status: string) => (await sessions()).every((session) => session.status === status)
  await waitFor('the questions', () => all('needs_input'), 60_000)
  for (let n = 0; n * SESSIONS < triesOr(48); n++) {
    const jump = one.random.pick(JUMPS)
    writeFileSync(file, String(jump))
    one.noted('jumps')
    const date = Number(execFileSync('date', ['+%s'], { env: { ...world.temp.env, ...env }, encoding: 'utf8' }))
    if (Math.abs(date - Date.now() / 1000 - jump) > 60) throw new Error(`the clock does not jump: ${date}`)
    // Two polls of the loop, so that it has looked at the session with the new time.
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    for (const { id, status } of await sessions()) {
      const attempt = one.tried('sessions')
      if (status !== 'needs_input') attempt.broken(`after a jump to ${jump} s ${id} is ${status}`)
    }
    const id = `app-${1 + one.random.below(SESSIONS)}`
    const sent = await world.ao(['send', id, `demo: ask Number ${n}?`], { env })
    if (sent.code !== 0) one.broken(`after a jump to ${jump} s a message: ${sent.stderr}`)
    if (identify(pid) === null) throw new Error(`the loop ended after a jump to ${jump} s`)
    await waitFor('the next question', () => all('needs_input')).catch((error: Error) => one.broken(error.message))
    one.judged()
  }
  for (const { id } of await sessions()) {
    const { events } = await world.json<{ events: Array<{ seq: number; type: string }> }>(['events', id, '-n', '1000'])
    const isInOrder = events.every(({ seq }, n) => n === 0 || seq === events[n - 1]!.seq + 1)
    if (!isInOrder) one.broken(`the history of ${id} has lost its order`)
    if (events.some(({ type }) => type === 'session.stuck')) one.broken(`${id} was called stuck`)
  }
  execFileSync('tmux', ['-L', 'ao', 'kill-server'], { env: world.temp.env })
  await waitFor('the loop to notice dead agents', () => all('killed')).catch((error: Error) =>
    one.broken(error.message),
  )
})
