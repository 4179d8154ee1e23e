import { afterEach, describe, expect, it } from 'vitest'
import { startWakeLoop, wakeDueSessions } from '../../src/agh/daemon/background.ts'
import { getSession, promptSession, stopSession, wakeSession } from '../../src/agh/runtime.ts'
import { ofType } from '../support/agh-events.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, createAghHome } from './agh-home.ts'

let agh: AghHome
afterEach(async () => expect(await agh.cleanup()).toEqual([]))

function open(heartbeat: string, interval = '100ms') {
  const limits = { min_interval: interval, default_interval: interval, wake_cooldown: interval }
  agh = createAghHome({
    config: { agents: { heartbeat: limits } },
    files: { 'agents/general/HEARTBEAT.md': heartbeat },
  })
}
const promptsOf = async (id: string) =>
  ofType(await agh.events(id), 'user_message').map(({ content }) => [content.source, content.text])
const wake = (id: string, dryRun = false) => wakeSession(agh.context, id, { manual: true, dryRun })

describe('HEARTBEAT.md', () => {
  it('S4.36 wakes an idle session again and again, with its text, and records it', async () => {
    open('---\nsummary: look around\n---\nsay awake\n')
    const { id } = await agh.create()
    const end = startWakeLoop(agh.context)
    await waitFor('two wakes', async () => (await promptsOf(id)).length >= 2)
    end()
    expect((await promptsOf(id))[0]).toEqual(['heartbeat', 'say awake'])
    const view = await getSession(agh.context, id)
    expect(Date.parse(view.last_wake_at!)).toBeGreaterThan(Date.parse(view.created_at))
  })

  it('S4.36 S4.33 wakes no session that is not eligible, and says why', async () => {
    open('---\n---\nsay awake\n', '0s')
    const { id } = await agh.create()
    const { ended } = await promptSession(agh.context, id, 'sleep 60000')
    expect(await wake(id)).toEqual({
      session_id: id,
      result: 'skipped',
      reason: 'session_prompt_active',
      dry_run: false,
    })
    await wakeDueSessions(agh.context)
    expect(await promptsOf(id)).toHaveLength(1)
    await stopSession(agh.context, id, null)
    await ended
    expect(await wake(id)).toMatchObject({ result: 'skipped', reason: 'session_health_dead' })
  })

  it('keeps quiet when the file says so, and only looks when it is asked to look', async () => {
    open(
      '---\npreferences:\n  quiet_windows:\n    - { start: "00:00", end: "23:59" }\n    - { start: "23:59", end: "00:00" }\n---\nsay awake\n',
    )
    const { id } = await agh.create()
    expect(await wake(id)).toMatchObject({ result: 'skipped', reason: 'quiet_window' })
    await agh.cleanup()
    open('---\n---\nsay awake\n', '1h')
    const other = await agh.create()
    expect(await wake(other.id, true)).toMatchObject({ result: 'sent' })
    expect(await promptsOf(other.id)).toEqual([])
    await wakeDueSessions(agh.context)
    expect(await promptsOf(other.id)).toEqual([])
    expect(await wake(other.id)).toMatchObject({ result: 'sent' })
    await waitFor('the end of the turn', () => agh.context.live.get(other.id)?.running === null)
    expect(await wake(other.id)).toMatchObject({ result: 'rate_limited', reason: 'cooldown_active' })
  })

  it('that is invalid wakes nothing, and the log says what is wrong', async () => {
    open('---\npreferences: { min_interval: often }\n---\nsay awake\n', '0s')
    const { id } = await agh.create()
    await wakeDueSessions(agh.context)
    expect(await promptsOf(id)).toEqual([])
    expect(agh.logged.join()).toContain('a duration such as 30m')
    // It is reported once, not in every round.
    await wakeDueSessions(agh.context)
    expect(agh.logged.join().match(/a duration such as 30m/g)).toHaveLength(1)
  })
})
