// Prompts that wait behind a turn: on the disk while they wait, sent once, or reported as not delivered.
import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { daemonStatus } from '../../src/agh/daemon/daemon-status.ts'
import { startDaemon } from '../../src/agh/daemon/start-daemon.ts'
import { stopDaemon } from '../../src/agh/daemon/stop-daemon.ts'
import { promptSession, repairTranscript, resume, shutdown, stopSession } from '../../src/agh/runtime.ts'
import { historyFile } from '../../src/agh/store/meta-file.ts'
import { openHistory, salvage } from '../../src/agh/store/open-history.ts'
import { readWaiting } from '../../src/agh/store/read-log.ts'
import type { SessionView } from '../../src/contract/agh/answers.ts'
import type { SessionEvent } from '../../src/contract/agh/events.ts'
import { NOT_DELIVERED, NOT_DELIVERED_HERE } from '../../src/core/agh/session/waiting-prompt.ts'
import { ofType } from '../support/agh-events.ts'
import { callDaemon, followDaemon } from '../support/call-agh.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, type AghHomeOptions, createAghHome, text } from './agh-home.ts'

let agh: AghHome
const open = (options: AghHomeOptions = {}) => {
  agh = createAghHome({ agent: 'resume', ...options })
}
afterEach(async () => {
  await stopDaemon(agh.context.paths)
  expect(await agh.cleanup()).toEqual([])
})

const waiting = (id: string) => agh.context.live.get(id)!.store.waitingMessages()
/** A turn that runs, and behind it a prompt that waits on the disk. */
async function queueBehind(id: string, running: string, queued: string) {
  await promptSession(agh.context, id, running)
  const later = promptSession(agh.context, id, queued, { queue: true })
  later.catch(() => undefined)
  await waitFor('its place on the disk', () => waiting(id).length > 0)
  return { later }
}

async function keepOffline(id: string, prompt: string): Promise<void> {
  const options = { clock: agh.context.clock, floor: 0, onFailure: () => undefined }
  const store = await openHistory(historyFile(agh.context.paths, id), options)
  await store.keepMessage({ id: 'prompt:turn-9', text: prompt })
  await store.close()
}

/** The turn of a prompt: its first event, and what followed. */
function turnWith(events: readonly SessionEvent[], prompt: string): SessionEvent[] {
  const requests = ofType(events, 'user_message').filter(({ content }) => content.text === prompt)
  expect(requests).toHaveLength(1)
  return events.filter(({ turn_id }) => turn_id === requests[0]!.turn_id)
}

function expectUndelivered(events: readonly SessionEvent[], prompt: string, error = NOT_DELIVERED): void {
  const turn = turnWith(events, prompt)
  expect(turn.map(({ type }) => type)).toEqual(['user_message', 'error'])
  expect(turn[1]).toMatchObject({ content: { error } })
}

describe('a queued prompt', () => {
  it('S4.27 is sent once, and waits no longer', async () => {
    open()
    const { id } = await agh.create()
    const { later } = await queueBehind(id, 'sleep 500', 'say later')
    await (await later).ended
    expect(waiting(id)).toEqual([])
    expect(text(turnWith(await agh.events(id), 'say later'))).toBe('later')
  })

  it.each([
    ['somebody stops it', (id: string) => stopSession(agh.context, id, null)],
    ['the daemon ends', () => shutdown(agh.context)],
    [
      'its agent crashes',
      async (id: string) => {
        process.kill(agh.context.live.get(id)!.process!.identity!.pid, 'SIGKILL')
        await waitFor('the end', () => !agh.context.live.has(id))
      },
    ],
  ])('is reported as not delivered when %s first, to its sender and in the event log', async (_what, end) => {
    open()
    const { id } = await agh.create()
    const { later } = await queueBehind(id, 'sleep 60000', 'say never')
    const refused = expect(later).rejects.toMatchObject({ code: 'SESSION_NOT_ACTIVE', message: NOT_DELIVERED })
    await end(id)
    await refused
    agh.restart()
    expectUndelivered(await agh.events(id), 'say never')
    await resume(agh.context, id)
    expect(waiting(id)).toEqual([])
    await agh.prompt(id, 'say on')
    expectUndelivered(await agh.events(id), 'say never')
  })

  it('S4.26 S4.100 that waited when the daemon was killed is in the event log, once, and is not sent behind its sender', async () => {
    open()
    const { paths, env } = agh.context
    writeFileSync(paths.config, '[http]\nport = 0\n')
    const { pid } = await startDaemon(paths, env)
    const { session } = await callDaemon<{ session: SessionView }>(paths.socket, '/api/sessions', {
      method: 'POST',
      body: { workspace_path: agh.workspace },
    })
    const path = `/api/sessions/${session.id}`
    const eventsOf = async () => (await callDaemon<{ events: SessionEvent[] }>(paths.socket, `${path}/events`)).events
    const send = async (message: string) => {
      const got: SessionEvent[] = []
      const body = { message, queue: true }
      for await (const event of followDaemon(paths.socket, `${path}/prompt`, { method: 'POST', body })) got.push(event)
      return got
    }
    const running = send('say first\nsleep 60000').catch((error) => error)
    await waitFor('the first turn', async () => text(await eventsOf()) === 'first')
    const queued = send('say second').catch((error) => error)
    await waitFor('its place on the disk', async () => (await readWaiting(historyFile(paths, session.id))).length > 0)
    process.kill(pid, 'SIGKILL')
    expect(await running).toBeInstanceOf(Error)
    // It was never reported as accepted.
    expect(await queued).toBeInstanceOf(Error)
    await waitFor('its end', async () => (await daemonStatus(paths)) === null)
    await startDaemon(paths, env)
    expectUndelivered(await eventsOf(), 'say second', NOT_DELIVERED_HERE)
    // The turn before it goes on.
    expect(text(await eventsOf())).toBe('first')
    await callDaemon(paths.socket, `${path}/prompt/cancel`, { method: 'POST' })
    expect(text(await send('say third'))).toBe('third')
    expectUndelivered(await eventsOf(), 'say second', NOT_DELIVERED_HERE)
  })

  it('that reached the disk after the end of its session is reported at the next start, and kept when the log is damaged', async () => {
    open()
    const { id } = await agh.create()
    await agh.prompt(id, 'stream 400')
    await stopSession(agh.context, id, null)
    await keepOffline(id, 'say too late')
    const file = historyFile(agh.context.paths, id)
    const bytes = readFileSync(file)
    bytes.fill(0xff, 4_096 * 12, 4_096 * 13)
    writeFileSync(file, bytes)
    const options = { clock: agh.context.clock, floor: 0, onFailure: () => undefined }
    await (await salvage(file, options)).close()
    await resume(agh.context, id)
    expectUndelivered(await agh.events(id), 'say too late')
    expect(waiting(id)).toEqual([])
  })

  it('S4.103 that a crash left waiting is named by a dry run', async () => {
    open()
    const { id } = await agh.create()
    await stopSession(agh.context, id, null)
    await keepOffline(id, 'say never again')
    const actions = [{ code: 'append_undelivered_prompt', turn_id: 'turn-9' }]
    expect(await repairTranscript(agh.context, id, { dryRun: true })).toMatchObject({ actions, persisted: false })
    expect(await repairTranscript(agh.context, id, { dryRun: false })).toMatchObject({ actions, persisted: true })
    expectUndelivered(await agh.events(id), 'say never again')
    expect(await repairTranscript(agh.context, id, { dryRun: false })).toMatchObject({ actions: [], persisted: false })
  })
})
