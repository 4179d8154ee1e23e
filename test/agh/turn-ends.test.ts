import { afterEach, describe, expect, it } from 'vitest'
import { getSession, listSessions, promptSession, readRecent, resume, stopSession } from '../../src/agh/runtime.ts'
import type { SessionEvent } from '../../src/contract/agh/events.ts'
import { ofType } from '../support/agh-events.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, type AghHomeOptions, createAghHome, text } from './agh-home.ts'

let agh: AghHome
const open = (options?: AghHomeOptions) => {
  agh = createAghHome(options)
  return agh
}
afterEach(async () => expect(await agh.cleanup()).toEqual([]))

const failureOf = (events: readonly SessionEvent[], type: 'error' | 'session_stopped') =>
  ofType(events, type).at(-1)?.content.failure

describe('a turn that is lost with its session', () => {
  it.each([
    ['the agent crashes', 'crash', 'agent_crashed', 'process_exit'],
    ['the agent exits', 'exit 0', 'error', 'process_exit'],
    ['its output closes', 'close-stdout', 'error', 'transport_failure'],
    ['its line never ends', 'flood 34000000\nsleep 60000', 'error', 'transport_failure'],
  ])(
    'S4.77 S4.84 S4.99 when %s, ends with the failure of the session, its tools before it',
    async (_what, end, reason, kind) => {
      open()
      const { id } = await agh.create()
      const { ended } = await promptSession(agh.context, id, `tool-open t1\n${end}`)
      await ended
      const stopped = await agh.stopped(id)
      expect(stopped).toMatchObject({ stop_reason: reason, failure: { kind } })
      const events = await agh.events(id)
      expect(events.slice(-4).map(({ type }) => type)).toEqual(['tool_call', 'tool_result', 'error', 'session_stopped'])
      expect(events.at(-3)?.content).toMatchObject({ toolCallId: 't1', status: 'failed' })
      expect(failureOf(events, 'error')).toEqual(stopped.failure)
      expect(failureOf(events, 'session_stopped')).toEqual(stopped.failure)
    },
  )

  it('S4.77 S4.84 S4.88 ends with a timeout, not a cancellation, when it ignored the cancel for inactivity', async () => {
    const supervision = {
      activity_heartbeat_interval: '20ms',
      inactivity_timeout: '200ms',
      timeout_cancel_grace: '100ms',
    }
    open({ agent: 'stay', config: { session: { supervision, timeouts: { driver_stop: '100ms' } } } })
    const { id } = await agh.create()
    const { ended } = await promptSession(agh.context, id, 'hang')
    await ended
    const stopped = await agh.stopped(id)
    expect(stopped).toMatchObject({ stop_reason: 'timeout', failure: { kind: 'timeout' } })
    expect(failureOf(await agh.events(id), 'error')).toEqual(stopped.failure)
  })

  it('S4.84 is a cancellation when a person stopped the session', async () => {
    open({ agent: 'stay', config: { session: { timeouts: { driver_stop: '100ms' } } } })
    const { id } = await agh.create()
    await promptSession(agh.context, id, 'tool-open t1\nhang')
    const { store } = agh.context.live.get(id)!
    // An agent that is told to stop before it began answers the cancellation itself.
    await waitFor('the tool', () => store.readLast(1)[0]?.type === 'tool_call')
    const stopped = await stopSession(agh.context, id, null)
    const events = await agh.events(id)
    expect(stopped.failure).toMatchObject({ kind: 'cancellation' })
    expect(failureOf(events, 'error')).toEqual(stopped.failure)
    expect(events.slice(-3).map(({ type }) => type)).toEqual(['tool_result', 'error', 'session_stopped'])
  })
})

describe('an old history with an open tool call', () => {
  it('S4.99 S4.102 is repaired before the session is resumed, once', async () => {
    open()
    const { id } = await agh.create()
    await promptSession(agh.context, id, 'tool-open t1\nsleep 60000')
    const { store } = agh.context.live.get(id)!
    await waitFor('the tool', () => store.readLast(1)[0]?.type === 'tool_call')
    // As it was written once: the agent crashes, and only the turn gets an end.
    const { append } = store
    store.append = (draft) => (draft.type === 'tool_result' ? undefined : append(draft))
    process.kill(agh.context.live.get(id)!.process!.identity!.pid, 'SIGKILL')
    await waitFor('the end', () => agh.context.live.get(id)?.finishing)
    await agh.stopped(id)
    await resume(agh.context, id)
    const results = ofType(await agh.events(id), 'tool_result')
    expect(results.map(({ content }) => content.toolCallId)).toEqual(['t1'])
  })
})

describe('a conversation that the provider has lost', () => {
  it('is begun anew with a recap by a fresh resume, which the error of the prompt names', async () => {
    open({ agent: 'resume' })
    const { id } = await agh.create()
    await agh.prompt(id, 'say the answer is 42')
    const failed = await agh.prompt(id, 'fail -32603 thread not found: 0199-abc')
    expect(failed.at(-1)).toMatchObject({
      type: 'error',
      content: {
        error: expect.stringContaining(`agh session resume ${id} --fresh`),
        failure: { kind: 'prompt_failure' },
      },
    })
    await expect(resume(agh.context, id, { fresh: true })).rejects.toMatchObject({ code: 'STATE_REFUSED' })
    await stopSession(agh.context, id, null)
    expect(await resume(agh.context, id, { fresh: true })).toMatchObject({ id, started_with: 'new_with_recap' })
    expect(text(await agh.prompt(id, 'recall'))).toContain('the answer is 42')
    await stopSession(agh.context, id, null)
    expect(await resume(agh.context, id)).toMatchObject({ started_with: 'resume' })
  })

  it('S4.81 is named as the way out by a resume that fails', async () => {
    open({ agent: 'load-fail' })
    const { id } = await agh.create()
    await stopSession(agh.context, id, null)
    await expect(resume(agh.context, id)).rejects.toMatchObject({ hint: expect.stringContaining('--fresh') })
    expect(await resume(agh.context, id, { fresh: true })).toMatchObject({ started_with: 'new_with_recap' })
  })
})

describe('a required hook of a session that has started', () => {
  it.each([
    ['says no', 'false', '10s'],
    ['takes too long', 'sleep 60', '200ms'],
  ])('S4.69 S4.85 ends it when it %s, as hook_stopped', async (_what, command, timeout) => {
    open({ config: { hooks: [{ event: 'session.started', command, required: true, timeout }] } })
    await expect(agh.create()).rejects.toMatchObject({ code: 'AGENT_FAILED' })
    const [session] = (await listSessions(agh.context)).sessions
    expect(session).toMatchObject({
      state: 'stopped',
      stop_reason: 'hook_stopped',
      failure: { kind: 'permission_failure' },
      process: null,
    })
    expect((await agh.events(session!.id)).at(-1)).toMatchObject({
      type: 'session_stopped',
      content: { stop_reason: 'hook_stopped', failure: session!.failure },
    })
  })
})

describe('what a session shows of itself', () => {
  it('keeps updates of another ACP session apart from its own conversation', async () => {
    open()
    const { id } = await agh.create()
    const events = await agh.prompt(id, 'say mine\nforeign not mine')
    expect(text(events)).toBe('mine')
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'system', content: expect.objectContaining({ acp_session_id: 'another' }) }),
    )
  })

  it('gives its last events, of all types or of one, while it runs and after it', async () => {
    open()
    const { id } = await agh.create()
    await agh.prompt(id, 'stream 20')
    const numbers = async (count: number, type?: string) =>
      (await readRecent(agh.context, id, count, type)).map(({ sequence }) => sequence)
    const all = await agh.events(id)
    expect(await numbers(3)).toEqual(all.slice(-3).map(({ sequence }) => sequence))
    expect(await numbers(1, 'user_message')).toEqual([all.find(({ type }) => type === 'user_message')?.sequence])
    await stopSession(agh.context, id, null)
    expect(await numbers(2)).toEqual([all.length, all.length + 1])
    expect(await numbers(5, 'plan')).toEqual([])
  })

  it('counts its events while a turn runs, and remembers its last activity after it', async () => {
    open()
    const { id } = await agh.create()
    const { sequence, ended } = await promptSession(agh.context, id, 'stream 20\nsleep 300')
    await waitFor('the events', async () => (await getSession(agh.context, id)).last_sequence >= sequence + 20)
    await ended
    const { health, activity } = await getSession(agh.context, id)
    expect(activity).toBeNull()
    expect(Date.parse(health.last_activity_at ?? '')).toBeGreaterThan(Date.now() - 60_000)
    await stopSession(agh.context, id, null)
    expect((await getSession(agh.context, id)).health.last_activity_at).toBe(health.last_activity_at)
  })
})
