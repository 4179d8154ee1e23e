// npm run torture -- clock: the wall clock jumps under a running loop. Needs a C compiler for the library that moves it.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep as rest } from '../src/lib/clock.ts'
import { identify } from '../src/lib/process/process-identity.ts'
import { buildAo, createAoWorld } from '../test/support/run-ao.ts'
import { type Campaign, campaign, triesOr } from './campaign.ts'

buildAo()

const HOUR = 3_600
const JUMPS = [HOUR, -HOUR, -24 * HOUR, -240 * HOUR, 400 * 24 * HOUR, -5, 5, 0]

const SESSIONS = 8
/** Side by side: all of them wait for most of the time. */
const WORLDS = 3
const TIMEOUT_MS = 60_000
/** Two polls of the loop, so that it has looked at the session with the new time. */
const LOOKED_MS = 2_500
/** Each question costs a process. */
const PAUSE_MS = 1_000

campaign('jumping clock', async (one) => {
  await Promise.all(Array.from({ length: WORLDS }, () => jump(one)))
})

async function jump(one: Campaign): Promise<void> {
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
  const until = async (what: string, status: string) => {
    for (const end = performance.now() + TIMEOUT_MS; performance.now() < end; await rest(PAUSE_MS))
      if ((await sessions()).every((session) => session.status === status)) return
    one.broken(`${what} never came`)
  }
  await until('the first questions', 'needs_input')
  for (let n = 0; n * SESSIONS * WORLDS < triesOr(96); n++) {
    const offset = one.random.pick(JUMPS)
    writeFileSync(file, String(offset))
    one.noted('jumps')
    const date = Number(execFileSync('date', ['+%s'], { env: { ...world.temp.env, ...env }, encoding: 'utf8' }))
    if (Math.abs(date - Date.now() / 1000 - offset) > 60) throw new Error(`the clock does not jump: ${date}`)
    await rest(LOOKED_MS)
    for (const { id, status } of await sessions()) {
      const attempt = one.tried('sessions')
      if (status !== 'needs_input') attempt.broken(`after a jump to ${offset} s ${id} is ${status}`)
    }
    const id = `app-${1 + one.random.below(SESSIONS)}`
    const sent = await world.ao(['send', id, `demo: ask Number ${n}?`], { env })
    if (sent.code !== 0) one.broken(`after a jump to ${offset} s a message: ${sent.stderr}`)
    if (identify(pid) === null) throw new Error(`the loop ended after a jump to ${offset} s`)
    await until('the next question', 'needs_input')
    one.judged()
  }
  for (const { id } of await sessions()) {
    const { events } = await world.json<{ events: Array<{ seq: number; type: string }> }>(['events', id, '-n', '1000'])
    const isInOrder = events.every(({ seq }, n) => n === 0 || seq === events[n - 1]!.seq + 1)
    if (!isInOrder) one.broken(`the history of ${id} has lost its order`)
    if (events.some(({ type }) => type === 'session.stuck')) one.broken(`${id} was called stuck`)
  }
  execFileSync('tmux', ['-L', 'ao', 'kill-server'], { env: world.temp.env })
  await until('the loop that notices dead agents', 'killed')
}
