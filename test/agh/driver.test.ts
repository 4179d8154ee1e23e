// Sessions that another program drives: its environment stays out of files, its messages are taken once, and only it can
// bring them back.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openListeners } from '../../src/agh/daemon/serve.ts'
import { promptSession, resume, shutdown, stopSession } from '../../src/agh/runtime.ts'
import { driveAgain, driveSession, findDriven } from '../../src/agh/session/driver/drive-session.ts'
import { findMessage, takeMessage } from '../../src/agh/session/driver/driver-messages.ts'
import { type DriveRequest, driverMessageSchema } from '../../src/contract/agh/driver.ts'
import { currentProcess, formatIdentity } from '../../src/lib/process/process-identity.ts'
import { ofType } from '../support/agh-events.ts'
import { callDaemon } from '../support/call-agh.ts'
import { waitFor } from '../support/wait-for.ts'
import { AGENT, type AghHome, createAghHome, text } from './agh-home.ts'
import { SAMPLE_PARTS } from './sample-meta.ts'

const SECRET = 'do-not-keep-4711'

let agh: AghHome

beforeEach(() => {
  agh = createAghHome({ config: { http: { port: 0 } } })
})
afterEach(async () => {
  expect(await agh.cleanup()).toEqual([])
})

function request(changes: Partial<DriveRequest> = {}): DriveRequest {
  return {
    driver: 'ao',
    key: 'h-app-1',
    spawn_id: 'spawn-1',
    owner: formatIdentity(currentProcess()),
    agent_name: 'fake',
    command: [process.execPath, AGENT],
    environment: { HOME: agh.home, PATH: process.env.PATH ?? '', SECRET_TOKEN: SECRET, FAKE_ACP: 'resume' },
    workspace_path: agh.workspace,
    permissions: 'approve-reads',
    modes: [],
    ...changes,
  }
}

describe('a driven session', () => {
  it('has the environment that it was given and no other, and no file contains it', async () => {
    const session = await driveSession(agh.context, request())
    const directory = join(agh.context.paths.sessions, session.meta.id)
    const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    const names = files.map((one) => join(one.parentPath, one.name)).filter((name) => !name.includes('events.db'))
    expect(names.length).toBeGreaterThan(2)
    expect(names.filter((name) => readFileSync(name, 'utf8').includes(SECRET))).toEqual([])
    await takeMessage(agh.context, session, { message: 'run env', message_id: 'm1', interrupt: false })
    await waitFor('the answer', async () => text(await agh.events(session.meta.id)).includes('PATH='))
    const output = text(await agh.events(session.meta.id))
    expect(output).toContain(`SECRET_TOKEN=${SECRET}`)
    expect(output).not.toContain('FAKE_ACP_LOG')
  })

  it('is not started for somebody who is dead, and not twice under one key', async () => {
    await expect(driveSession(agh.context, request({ owner: '999999:1:other-boot' }))).rejects.toMatchObject({
      code: 'STATE_REFUSED',
    })
    expect(findDriven(agh.context, 'h-app-1')).toBeNull()
    const [one, same] = await Promise.all([driveSession(agh.context, request()), driveSession(agh.context, request())])
    expect(same.meta.id).toBe(one.meta.id)
    await expect(driveSession(agh.context, request({ spawn_id: 'spawn-2' }))).rejects.toMatchObject({
      code: 'STATE_REFUSED',
    })
    expect(agh.context.live.size).toBe(1)
  })

  it('takes a message once, queues it behind a turn, and knows its fate from the history alone', async () => {
    const session = await driveSession(agh.context, request())
    const send = (message: string, message_id: string) =>
      takeMessage(agh.context, session, { message, message_id, interrupt: false })
    expect(await send('sleep 300', 'm1')).toMatchObject({ state: 'handed_over' })
    expect(await send('say second', 'm2')).toMatchObject({ state: 'queued' })
    expect(await send('say second', 'm2')).toMatchObject({ state: 'queued' })
    await waitFor('the second', async () => text(await agh.events(session.meta.id)).includes('second'))
    const requests = ofType(await agh.events(session.meta.id), 'user_message')
    expect(requests.map(({ content }) => content.message_id)).toEqual(['m1', 'm2'])
    // As after a restart of the daemon.
    ;(session.messages as Map<string, unknown>).clear()
    expect(await findMessage(agh.context, session.meta.id, 'm2')).toMatchObject({ state: 'handed_over' })
    expect(await findMessage(agh.context, session.meta.id, 'm3')).toMatchObject({ state: 'lost' })
  })

  it.each([
    ['its daemon ends', () => shutdown(agh.context)],
    [
      'its agent crashes',
      async (id: string) => {
        process.kill(agh.context.live.get(id)!.process!.identity!.pid, 'SIGKILL')
        await waitFor('the end', () => !agh.context.live.has(id))
      },
    ],
  ])('keeps a message that was queued when %s, and delivers it once when it is brought back', async (_what, end) => {
    const { meta } = await driveSession(agh.context, request())
    const send = (message_id: string, message: string) =>
      takeMessage(agh.context, agh.context.live.get(meta.id)!, { message, message_id, interrupt: false })
    await send('m1', 'sleep 60000')
    expect(await send('m2', 'say second')).toMatchObject({ state: 'queued' })
    expect(await send('m3', 'say third')).toMatchObject({ state: 'queued' })
    await end(meta.id)
    agh.restart()
    expect(await findMessage(agh.context, meta.id, 'm2')).toMatchObject({ state: 'queued' })
    const { owner, command, environment } = request()
    await driveAgain(agh.context, meta.id, { spawn_id: 'spawn-2', owner, command, environment })
    await Promise.all([send('m2', 'say second'), send('m2', 'say second')])
    await waitFor('both', async () => text(await agh.events(meta.id)) === 'secondthird')
    expect(await send('m3', 'say third')).toMatchObject({ state: 'handed_over' })
    expect(await send('m1', 'sleep 60000')).toMatchObject({ state: expect.stringMatching('unknown|handed_over') })
    const requests = ofType(await agh.events(meta.id), 'user_message')
    expect(requests.map(({ content }) => content.message_id)).toEqual(['m1', 'm2', 'm3'])
  })

  it('drops what waits when somebody stops it, and says that it is lost', async () => {
    const session = await driveSession(agh.context, request())
    await takeMessage(agh.context, session, { message: 'sleep 60000', message_id: 'm1', interrupt: false })
    await takeMessage(agh.context, session, { message: 'say never', message_id: 'm2', interrupt: false })
    await stopSession(agh.context, session.meta.id, null)
    expect(await findMessage(agh.context, session.meta.id, 'm2')).toMatchObject({ state: 'lost' })
    const { owner, command, environment } = request()
    await driveAgain(agh.context, session.meta.id, { spawn_id: 'spawn-2', owner, command, environment })
    expect(agh.context.live.get(session.meta.id)!.store.waitingMessages()).toEqual([])
  })

  it("keeps its driver's messages for later, and reports a person's prompt as not delivered", async () => {
    const session = await driveSession(agh.context, request())
    const { id } = session.meta
    const send = (message_id: string, message: string) =>
      takeMessage(agh.context, session, { message, message_id, interrupt: false })
    await send('m1', 'sleep 60000')
    const prompted = promptSession(agh.context, id, 'say by hand', { queue: true })
    const refused = expect(prompted).rejects.toMatchObject({ code: 'SESSION_NOT_ACTIVE' })
    await send('m2', 'say second')
    await shutdown(agh.context)
    await refused
    agh.restart()
    const undelivered = ofType(await agh.events(id), 'user_message').at(-1)!
    expect(undelivered.content).toEqual({ text: 'say by hand', source: 'user' })
    expect(await findMessage(agh.context, id, 'm2')).toMatchObject({ state: 'queued' })
    const { owner, command, environment } = request()
    await driveAgain(agh.context, id, { spawn_id: 'spawn-2', owner, command, environment })
    await waitFor('the message', async () => text(await agh.events(id)) === 'second')
    expect(driverMessageSchema.safeParse({ message: 'x', message_id: 'prompt:turn-1' }).success).toBe(false)
  })

  it('ends a silent turn for a message that says so', async () => {
    const session = await driveSession(agh.context, request())
    await takeMessage(agh.context, session, { message: 'sleep 60000', message_id: 'm1', interrupt: false })
    await takeMessage(agh.context, session, { message: 'say awake', message_id: 'm2', interrupt: true })
    await waitFor('the answer', async () => text(await agh.events(session.meta.id)).includes('awake'))
    const ends = (await agh.events(session.meta.id)).filter(({ type }) => type === 'done')
    expect(ends[0]?.content).toMatchObject({ stop_reason: 'cancelled', canceled_by: 'user' })
  })

  it('is resumed by its driver under the same id, with another marker, and by nobody else', async () => {
    const session = await driveSession(agh.context, request())
    const { id } = session.meta
    process.kill(session.process!.identity!.pid, 'SIGKILL')
    await waitFor('its end', () => !agh.context.live.has(id))
    expect(await agh.stopped(id)).toMatchObject({ state: 'stopped', exit: { code: null, signal: 'SIGKILL' } })
    await expect(resume(agh.context, id)).rejects.toMatchObject({ code: 'STATE_REFUSED' })
    const { spawn_id: _, driver: _driver, key: _key, agent_name: _name, ...launch } = request()
    const { workspace_path: _path, permissions: _permissions, modes: _modes, ...again } = launch
    const resumed = await driveAgain(agh.context, id, { ...again, spawn_id: 'spawn-2' })
    expect(resumed.meta).toMatchObject({
      id,
      started_with: 'resume',
      driver: { spawn_id: 'spawn-2' },
      process: { spawn_id: 'spawn-2' },
    })
  })

  it('can be driven over the Unix socket only', async () => {
    const listeners = await openListeners(agh.context, SAMPLE_PARTS)
    try {
      const path = '/api/driver/sessions?key=x'
      expect(await callDaemon(agh.context.paths.socket, path)).toEqual({ session: null })
      const answer = await fetch(`http://127.0.0.1:${listeners.port}${path}`)
      expect(answer.status).toBe(404)
    } finally {
      await listeners.close()
    }
  })
})
