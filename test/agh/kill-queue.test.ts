// The daemon is killed at random moments with prompts in the queue and a cancel on its way.
import { writeFileSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import { daemonStatus } from '../../src/agh/daemon/daemon-status.ts'
import { startDaemon } from '../../src/agh/daemon/start-daemon.ts'
import { stopDaemon } from '../../src/agh/daemon/stop-daemon.ts'
import { historyFile } from '../../src/agh/store/meta-file.ts'
import { readWaiting } from '../../src/agh/store/read-log.ts'
import type { SessionView } from '../../src/contract/agh/answers.ts'
import type { SessionEvent } from '../../src/contract/agh/events.ts'
import { sleep } from '../../src/lib/clock.ts'
import { ofType } from '../support/agh-events.ts'
import { callDaemon, followDaemon } from '../support/call-agh.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, createAghHome } from './agh-home.ts'
import { expectTurnsWhole } from './check-history.ts'
import { createRandom } from './kill-at-random.ts'

let agh: AghHome
afterEach(async () => {
  await stopDaemon(agh.context.paths)
  expect(await agh.cleanup()).toEqual([])
})

const ROUNDS = Number(process.env.AGH_KILL_ROUNDS ?? 5)
const call = <T>(path: string, method = 'GET', body?: object) =>
  callDaemon<T>(agh.context.paths.socket, path, { method, ...(body ? { body } : {}) })

async function send(id: string, message: string): Promise<SessionEvent[]> {
  const seen: SessionEvent[] = []
  try {
    const how = { method: 'POST', body: { message, queue: true } }
    for await (const event of followDaemon(agh.context.paths.socket, `/api/sessions/${id}/prompt`, how))
      seen.push(event)
  } catch {
    // Cut off by the kill; what was seen before is what counts.
  }
  return seen
}

/** Lost with the daemon, or too early for a turn; but never a request that the daemon does not know. */
async function cancel(id: string): Promise<void> {
  await call(`/api/sessions/${id}/prompt/cancel`, 'POST').catch((error) => {
    expect(error).not.toMatchObject({ code: expect.stringMatching(/ROUTE_NOT_FOUND|USAGE/) })
  })
}

it('S4.26 S4.100 every prompt of a killed daemon is in the log once, with one end, and nothing waits', async () => {
  agh = createAghHome({ agent: 'resume' })
  const { paths, env } = agh.context
  writeFileSync(paths.config, '[http]\nport = 0\n[session.timeouts]\ndriver_stop = "200ms"\n')
  await startDaemon(paths, env)
  const { session } = await call<{ session: SessionView }>('/api/sessions', 'POST', { workspace_path: agh.workspace })
  const { id } = session
  const random = createRandom(20_261_115)
  for (let round = 0; round < ROUNDS; round++) {
    const { pid } = (await daemonStatus(paths))!
    const messages = ['a', 'b', 'c', 'd'].map((name) => `say ${name}${round}\nsleep 60`)
    const sent = messages.map((message) => send(id, message))
    const afterMs = random() * 350
    const cancelled = sleep(random() * afterMs).then(() => cancel(id))
    await sleep(afterMs)
    process.kill(pid, 'SIGKILL')
    const seen = await Promise.all(sent)
    await cancelled
    await waitFor('its end', async () => (await daemonStatus(paths)) === null)
    await startDaemon(paths, env)
    await waitFor('the end of its turn', async () => {
      const { session } = await call<{ session: SessionView }>(`/api/sessions/${id}`)
      return session.health.state === 'idle'
    })
    const { events } = await call<{ events: SessionEvent[] }>(`/api/sessions/${id}/events?limit=10000`)
    expectTurnsWhole(events)
    for (const event of seen.flat()) expect(events[event.sequence - 1], `after ${afterMs} ms`).toEqual(event)
    for (const [index, message] of messages.entries()) {
      const times = ofType(events, 'user_message').filter(({ content }) => content.text === message).length
      expect(times).toBeLessThanOrEqual(1)
      if (seen[index]!.length > 0) expect(times).toBe(1)
    }
    expect(await readWaiting(historyFile(paths, id))).toEqual([])
  }
}, 120_000)
