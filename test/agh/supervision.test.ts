import { afterEach, describe, expect, it } from 'vitest'
import { getSession, promptSession } from '../../src/agh/runtime.ts'
import { readMeta } from '../../src/agh/store/meta-file.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, createAghHome } from './agh-home.ts'

let agh: AghHome
afterEach(async () => expect(await agh.cleanup()).toEqual([]))

interface Supervision {
  [key: string]: string
}

function open(supervision: Supervision, limits: object = {}): AghHome {
  const quiet = { progress_notify_interval: '0s', inactivity_warning_after: '0s', inactivity_timeout: '0s' }
  agh = createAghHome({
    config: {
      session: {
        limits,
        supervision: { activity_heartbeat_interval: '50ms', ...quiet, ...supervision },
        timeouts: { driver_stop: '300ms' },
      },
    },
  })
  return agh
}

describe('supervision', () => {
  it('S4.31 S4.44 S4.45 cancels a turn of an agent that is merely alive, and keeps the session', async () => {
    open({ inactivity_timeout: '400ms', timeout_cancel_grace: '20s' })
    const { id } = await agh.create()
    const events = await agh.prompt(id, 'sleep 60000')
    expect(events.at(-1)).toMatchObject({
      type: 'done',
      content: { stop_reason: 'cancelled', canceled_by: 'inactivity' },
    })
    expect(await getSession(agh.context, id)).toMatchObject({ state: 'active', stop_reason: null })
  })

  it('S4.46 S4.56 S4.64 S4.88 stops the session when the cancel is not obeyed', async () => {
    open({ inactivity_timeout: '300ms', timeout_cancel_grace: '200ms' })
    const { id } = await agh.create()
    await agh.prompt(id, 'hang')
    expect(await agh.stopped(id)).toMatchObject({
      state: 'stopped',
      stop_reason: 'timeout',
      stop_detail: 'activity_timeout',
      failure: { kind: 'timeout' },
    })
  })

  it.each([
    ['a tool call in flight', 'tool-open t1\nsleep 1500', '700ms'],
    // A loaded machine gives it little time: a longer observation notices it all the same.
    ['a processor at work', 'busy 4000', '2s'],
    ['a question that waits', 'ask execute', '700ms'],
  ])('S4.30 S4.38 S4.55 leaves a silent turn alone for %s', async (_name, prompt, inactivity_timeout) => {
    const activity_heartbeat_interval = prompt.startsWith('busy') ? '400ms' : '50ms'
    open({ activity_heartbeat_interval, inactivity_timeout, timeout_cancel_grace: '20s' })
    const { id } = await agh.create()
    const turn = await promptSession(agh.context, id, prompt)
    const began = Date.now()
    if (prompt.startsWith('ask')) {
      await waitFor('more time than the limit', () => Date.now() - began > 1_500)
      const [pending] = (await getSession(agh.context, id)).pending_permissions
      expect(pending?.title).toBe('may I execute')
      return
    }
    await turn.ended
    expect((await agh.events(id)).at(-1)).toMatchObject({ type: 'done', content: { stop_reason: 'end_turn' } })
  })

  it('S4.32 S4.42 S4.43 reports progress at its interval and warns once', async () => {
    open({ progress_notify_interval: '200ms', inactivity_warning_after: '300ms' })
    const { id } = await agh.create()
    const events = await agh.prompt(id, 'sleep 1200')
    const of = (type: string) => events.filter((event) => event.type === type)
    expect(of('runtime_warning')).toHaveLength(1)
    expect(of('runtime_progress').length).toBeGreaterThanOrEqual(2)
    expect(of('runtime_progress').length).toBeLessThanOrEqual(6)
    expect(of('runtime_progress')[0]?.content).toMatchObject({ activity: { turn_source: 'user' } })
  })

  it('S4.34 S4.41 keeps heartbeats in the metadata and out of the history', async () => {
    open({})
    const { id } = await agh.create()
    const turn = await promptSession(agh.context, id, 'tool-open t1\nsleep 700')
    const first = await waitFor('a heartbeat', () => readMeta(agh.context.paths, id).activity)
    await waitFor('a later one', () => {
      const { activity } = readMeta(agh.context.paths, id)
      return activity !== null && activity.last_activity_at > first.last_activity_at
    })
    await turn.ended
    expect((await agh.events(id)).map(({ type }) => type)).toEqual([
      'system',
      'session_started',
      'user_message',
      'tool_call',
      'done',
    ])
    expect(readMeta(agh.context.paths, id).activity).toBeNull()
  })

  it('S4.54 stops a session at its wall-clock limit', async () => {
    open({}, { timeout: '500ms' })
    const { id } = await agh.create()
    await waitFor('its end', async () => (await getSession(agh.context, id)).state === 'stopped')
    expect(await getSession(agh.context, id)).toMatchObject({ stop_reason: 'timeout', failure: { kind: 'timeout' } })
  })
})
